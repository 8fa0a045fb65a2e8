package requests

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// A Request is a parsed template.
type Request struct {
	method  string
	data    *Data
	url     *field
	headers []header
	body    *field
	streams uint64
	secrets []int  // columns
	given   string // the parsed text
	step    Step
	takes   bool // uses a captured value
}

// A Step is the place of a request in a session: session n has Of requests, from number n·Of.
type Step struct {
	Of       int      // requests in a session; 0: no session
	Captured []string // names of values captured by earlier steps
}

// Placeholder stands for a captured value in checks and previews.
const Placeholder = "captured"

func (s Step) placeholders(text string) []Value {
	all := make([]Value, len(s.Captured))
	for i := range all {
		all[i].Text = text
	}
	return all
}

type header struct {
	name string
	*field
}

// Parse parses the {{…}} of a request.
func Parse(of vegeta.Target, data *Data) (*Request, error) { return ParseStep(of, data, Step{}) }

// ParseStep is Parse for a step of a session.
func ParseStep(of vegeta.Target, data *Data, step Step) (*Request, error) {
	r := &Request{method: of.Method, data: data, step: step,
		given: fmt.Sprintf("%q %q %q %v", of.URL, of.Header, of.Body, step)}
	if data != nil {
		if !data.whole() {
			return nil, fmt.Errorf("%s: its rows are not whole", data.Name)
		}
		for _, c := range data.Columns {
			if step.Of > 0 && (c == sessionName || slices.Contains(step.Captured, c)) {
				return nil, fmt.Errorf("%s: column %s has the name of a value of sessions: "+
					"rename one of the two", data.Name, c)
			}
		}
		for i, c := range data.Columns {
			if IsSecret(c) {
				r.secrets = append(r.secrets, i)
			}
		}
	}
	var err error
	if r.url, err = r.parse("URL", of.URL, inOrigin); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(of.Header)) { // fixes the random streams
		for _, value := range of.Header[name] {
			fd, err := r.parse("header "+name, value, inHeader)
			if err != nil {
				return nil, err
			}
			if !fd.static() && slices.Contains(fixedHeaders, http.CanonicalHeaderKey(name)) {
				return nil, fmt.Errorf("header %s: it must be the same for every request, so it "+
					"cannot contain {{…}}", name)
			}
			r.headers = append(r.headers, header{name, fd})
		}
	}
	if len(of.Body) > 0 {
		if r.body, err = r.parse("body", string(of.Body), bodyPosition(of)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fixedHeaders decide how a request is sent, so they cannot be templates.
var fixedHeaders = []string{"Host", "Connection", "Content-Length", "Transfer-Encoding", "Trailer",
	"Content-Type"}

func bodyPosition(of vegeta.Target) position {
	kind := strings.ToLower(of.Header.Get("Content-Type"))
	begins := bytes.TrimSpace(of.Body)
	switch {
	case strings.Contains(kind, "json"):
		return inJSON
	case strings.Contains(kind, "x-www-form-urlencoded"):
		return inForm
	case kind == "" && (bytes.HasPrefix(begins, []byte("{")) &&
		!bytes.HasPrefix(begins, []byte("{{")) || bytes.HasPrefix(begins, []byte("["))):
		return inJSON
	}
	return inText
}

func (r *Request) column(name string) int {
	if r.data == nil {
		return -1
	}
	return slices.Index(r.data.Columns, name)
}

func (r *Request) noColumn(name string) error {
	if r.data == nil {
		return fmt.Errorf("column %q: there are no data", name)
	}
	return fmt.Errorf("column %q: %s has %s", name, r.data.Name, strings.Join(r.data.Columns, ", "))
}

func isIdentifier(name string) bool {
	for i, c := range name {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return name != "" && !slices.Contains(keywords, name)
}

var keywords = []string{"block", "break", "continue", "define", "else", "end", "if", "range", "nil",
	"template", "with", "true", "false"}

func (r *Request) mistake(err error) error {
	err = cleaned(err)
	if !strings.Contains(err.Error(), "function") ||
		!strings.Contains(err.Error(), "not defined") {
		return err
	}
	known := slices.Concat(ownNames, r.step.Captured)
	if r.step.Of > 0 {
		known = append(known, sessionName)
	}
	if r.data != nil {
		known = append(known, r.data.Columns...)
	}
	return fmt.Errorf("%w (known: %s)", err, strings.Join(known, ", "))
}

func cleaned(err error) error {
	return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "template: "))
}

// Check fills in each row of the data, about a million rows a second. It returns the error of the
// first invalid row, with file and line.
func (r *Request) Check() error {
	if r.data == nil || r.isStatic() {
		_, err := r.checkRow(0, -1)
		return err
	}
	if _, sound := r.data.sound.Load(r.given); sound {
		return nil
	}
	n, parts := len(r.data.Rows), runtime.GOMAXPROCS(0)
	wrong := make([]error, parts) // the first of each
	var turns atomic.Int64        // of loops
	var checking sync.WaitGroup
	for k := range parts {
		checking.Go(func() {
			for i := k * n / parts; i < (k+1)*n/parts; i++ {
				steps, err := r.checkRow(uint64(i), i)
				if n := turns.Add(int64(steps)); err == nil && n > maxChecked {
					err = fmt.Errorf("%s: its %d rows need more than %d loop iterations",
						r.data.Name, len(r.data.Rows), maxChecked)
				}
				if wrong[k] = err; err != nil {
					return
				}
			}
		})
	}
	checking.Wait()
	if err := cmp.Or(wrong...); err != nil {
		return err
	}
	r.data.sound.Store(r.given, true)
	return nil
}

// isStatic reports whether checks are equal for all rows.
func (r *Request) isStatic() bool {
	return r.url.static() && (r.body == nil || r.body.full == nil) &&
		!slices.ContainsFunc(r.headers, func(h header) bool { return !h.static() })
}

// checkRow omits a body of text and values only.
func (r *Request) checkRow(seq uint64, row int) (steps int, err error) {
	f := r.filling(0, seq*uint64(max(r.step.Of, 1)), r.step.placeholders(Placeholder))
	err = r.fillable(&f)
	if err != nil && row >= 0 {
		err = fmt.Errorf("%s:%d: %w", r.data.Name, r.data.Lines[row], err)
	}
	return f.steps, err
}

func (r *Request) fillable(f *filling) error {
	address, err := r.urlOf(f)
	if err != nil {
		return err
	}
	if err := checkSegments(address); err != nil {
		return err
	}
	for _, h := range r.headers {
		if _, err := h.value(f, nil); err != nil {
			return err
		}
	}
	if r.body != nil && r.body.full != nil {
		_, err = f.put(nil, r.body)
	}
	return err
}

// checkSegments rejects a path that a server would normalise.
func checkSegments(address string) error {
	for segment := range segments(address) {
		if segment == "." || segment == ".." {
			return fmt.Errorf("URL: a filled-in value makes %q a segment of its path", segment)
		}
	}
	return nil
}

func segments(address string) iter.Seq[string] {
	_, address, _ = strings.Cut(address, "://")
	if end := strings.IndexAny(address, "?#"); end >= 0 {
		address = address[:end]
	}
	_, path, _ := strings.Cut(address, "/")
	return strings.SplitSeq(path, "/")
}

func (r *Request) filling(seed, seq uint64, captured []Value) filling {
	f := filling{seed: seed, seq: seq, session: r.session(seq), captured: captured}
	if r.data != nil {
		f.row = r.data.Rows[r.session(seq)%uint64(len(r.data.Rows))]
	}
	return f
}

func (r *Request) session(seq uint64) uint64 { return seq / uint64(max(r.step.Of, 1)) }

func (r *Request) urlOf(f *filling) (string, error) {
	text, err := f.put(nil, r.url)
	if err != nil {
		return "", err
	}
	if _, err := url.Parse(string(text)); err != nil {
		return "", fmt.Errorf("URL: a filled-in value makes it invalid")
	}
	if r.takes { // values of a server were not checked before
		return string(text), checkSegments(string(text))
	}
	return string(text), nil
}

func (h *header) value(f *filling, to []byte) ([]byte, error) {
	begins := len(to)
	to, err := f.put(to, h.field)
	if err != nil {
		return to, err
	}
	for _, c := range to[begins:] {
		if c < ' ' && c != '\t' || c == 0x7f {
			return to, fmt.Errorf("%s: a filled-in value has a line break or another control "+
				"character", h.of)
		}
	}
	return to, nil
}

// Fill returns request number seq with the captured values, in the order of Step.Captured. It fails
// only for invalid captured values.
func (r *Request) Fill(seed, seq uint64, captured ...Value) (vegeta.Target, error) {
	f := r.filling(seed, seq, captured)
	return r.fill(&f)
}

// Example returns a request with placeholders for captured values.
func (r *Request) Example(seed uint64) (vegeta.Target, error) {
	return r.Fill(seed, 0, r.step.placeholders(Placeholder)...)
}

func (r *Request) fill(f *filling) (to vegeta.Target, err error) {
	to = vegeta.Target{Method: r.method, Header: http.Header{}}
	if to.URL, err = r.urlOf(f); err != nil {
		return to, err
	}
	for i := range r.headers {
		h := &r.headers[i]
		value, err := h.value(f, nil)
		if err != nil {
			return to, err
		}
		to.Header[h.name] = append(to.Header[h.name], string(value))
	}
	if r.body != nil {
		to.Body, err = f.put(nil, r.body)
	}
	return to, err
}
