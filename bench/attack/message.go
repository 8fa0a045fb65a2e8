package attack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench/attack/requests"
)

// A message without a template is encoded once and shared by all calls.
type message struct {
	request  *Request
	built    *http.Request // the request without its body, to be copied: parsing a URL costs 1 µs
	wired    *outgoing     // the request for a wire, if one is used
	prepared any
	form     *form  // the template; nil: the same each time
	err      error  // why it cannot be sent
	visit    *visit // its session; nil: none
	single   bool   // encoded for one call

	seq    uint64
	filled Request
	out    outgoing
	body   []byte // reused memory
}

type form struct {
	*requests.Request
	seed  uint64
	frame *requests.Frame // nil: encode each request in full
}

func (a Attack) isTemplate(r Request) bool {
	if !a.Templates {
		return false
	}
	for _, values := range r.Header {
		for _, v := range values {
			if strings.Contains(v, "{{") {
				return true
			}
		}
	}
	return strings.Contains(r.URL, "{{") || bytes.Contains(r.Body, []byte("{{"))
}

// From lazyFrom requests on, each is encoded for its call and not kept, because an encoded request
// needs ten times the memory of its line in a file.
const lazyFrom = 1000

func (a Attack) isLazy() bool {
	return a.Session == nil && len(a.Requests) >= lazyFrom &&
		!slices.ContainsFunc(a.Requests, a.isTemplate)
}

// examples returns the first request to each host.
func (a Attack) examples() (all []int) {
	type place struct{ origin, host string }
	seen := map[place]bool{}
	for i, r := range a.Requests {
		origin, _ := cutOrigin(r.URL)
		if p := (place{origin, r.Header.Get("Host")}); !seen[p] {
			seen[p] = true
			all = append(all, i)
		}
	}
	return all
}

// Templates are filled in for request 0. If requests are encoded for each call, there is one
// message for each host.
func (a Attack) messages() []message {
	var all []message
	if a.isLazy() {
		examples := a.examples()
		all = make([]message, len(examples))
		for i, at := range examples {
			all[i].request = &a.Requests[at]
		}
	} else {
		all = make([]message, len(a.Requests))
		for i := range all {
			all[i].request = &a.Requests[i]
		}
	}
	for i := range all {
		m := &all[i]
		if a.isTemplate(*m.request) {
			parsed, err := a.parse(*m.request, i)
			if err != nil {
				panic(fmt.Sprintf("attack: Validate let a template pass: %v", err))
			}
			m.form = &form{Request: parsed, seed: a.Seed}
			first, err := m.form.Example(a.Seed)
			if err != nil {
				panic(fmt.Sprintf("attack: Validate let a template pass: %v", err))
			}
			first = withoutUser(first)
			m.request = &first
		}
		var err error
		if m.built, err = m.request.Request(); err != nil {
			panic(fmt.Sprintf("attack: Validate let a request pass: %v", err))
		}
	}
	return all
}

func (a Attack) parse(r Request, i int) (*requests.Request, error) {
	if a.Session != nil && i >= 0 {
		return a.Session.Parse(i, r, a.Data)
	}
	return requests.Parse(r, a.Data)
}

// Call message before the request begins, so the time is not counted as the server's.
func (c *caller) message(seq uint64, of *visit, own **message) *message {
	m := c.kind(seq)
	switch {
	case c.lazy:
		m.encode(c)
	case m.form != nil || of != nil:
		if *own == nil {
			*own = new(message)
		}
		(*own).fillFrom(c, m, seq, of)
		m = *own
	}
	if c.attack.sampled().Has(seq) {
		return c.traced(m, seq)
	}
	return m
}

// kind returns the message of a request before it is filled in or encoded.
func (c *caller) kind(seq uint64) *message {
	if c.lazy {
		all := c.attack.Requests
		return &message{request: &all[seq%uint64(len(all))], single: true}
	}
	return &c.messages[seq%uint64(len(c.messages))]
}

func (m *message) encode(c *caller) {
	if m.built, m.err = m.request.Request(); m.err == nil {
		m.err = c.way.prepare(m)
	}
}

// The trace header is added on sending, because few messages have one.
func (c *caller) traced(m *message, seq uint64) *message {
	if m.complete(); m.err != nil {
		return m
	}
	r := *m.request
	if r.Header = maps.Clone(r.Header); r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(traceHeader, c.attack.sampled().Parent(seq))
	built, err := r.Request()
	if err != nil {
		return m // unreachable: the header is valid
	}
	with := &message{request: &r, built: built, visit: m.visit}
	if c.way.prepare(with) != nil {
		return m // unreachable
	}
	return with
}

func (m *message) fillFrom(c *caller, like *message, seq uint64, of *visit) {
	m.form, m.seq, m.err, m.visit = like.form, seq, nil, of
	if of != nil {
		of.message = m
	}
	if m.form == nil { // only cookies differ
		m.request, m.built, m.wired = like.request, like.built, like.wired
		if c.wiring != nil && of.hasCookies() {
			m.out, m.err = c.wiring.encoded(m.withCookies(context.Background()))
			m.wired = &m.out
		}
		return
	}
	m.request, m.built, m.wired = nil, nil, nil
	if c.wiring == nil {
		if m.complete(); m.err == nil {
			m.err = c.way.prepare(m)
		}
		return
	}
	if m.wired = &m.out; m.form.frame == nil || of.hasCookies() {
		m.complete()
		if m.err == nil {
			m.out, m.err = c.wiring.encoded(m.withCookies(context.Background()))
		}
		m.out.to = like.wired.to
		return
	}
	buffer := m.out.bytes[:0]
	m.out = *like.wired
	var n int
	m.out.bytes, n, m.err = m.form.frame.Put(buffer, &m.body, m.form.seed, seq)
	m.out.body = int64(n)
}

func (a Attack) filled(i int) Request {
	r := a.Requests[i]
	if !a.isTemplate(r) {
		return r
	}
	parsed, err := a.parse(r, i)
	if err != nil {
		return r // CheckSent reports the error
	}
	if first, err := parsed.Example(a.Seed); err == nil {
		return first
	}
	return r
}

// complete prepares the parts that a wire does not need.
func (m *message) complete() {
	if m.built != nil || m.err != nil {
		return
	}
	m.filled, m.err = m.form.Fill(m.form.seed, m.seq, m.visit.values()...)
	if m.filled = withoutUser(m.filled); m.err != nil {
		return
	}
	m.request = &m.filled
	m.built, m.err = m.request.Request()
}

func (m *message) http(ctx context.Context) *http.Request {
	m.complete()
	if m.err != nil {
		return nil
	}
	r := m.built.WithContext(ctx)
	if len(m.request.Body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(m.request.Body))
	}
	return r
}

func (m *message) withCookies(ctx context.Context) *http.Request {
	r := m.http(ctx)
	if r == nil || !m.visit.hasCookies() {
		return r
	}
	cookies := m.visit.jar.Cookies(r.URL)
	if len(cookies) == 0 {
		return r
	}
	if r.Header = r.Header.Clone(); r.Header == nil {
		r.Header = http.Header{}
	}
	for _, c := range cookies {
		r.AddCookie(c)
	}
	return r
}

// maxAhead is the largest message that is filled in before it is due, because messages waiting for
// a slot stay in memory.
const maxAhead = 64 << 10

func (m *message) large() bool {
	if m == nil || m.form == nil && !m.single {
		return false
	}
	if m.single {
		return len(m.request.Body) > maxAhead
	}
	return len(m.out.bytes)+len(m.filled.Body) > maxAhead
}

func (c *caller) secrets(seq uint64, of *visit) []requests.Secret {
	m := c.kind(seq)
	show := c.attack.ShowQuery
	all := append(requests.SecretsOfVariables(c.attack.Environment), of.secrets()...)
	if m.form != nil {
		return append(all, m.form.Secrets(m.form.seed, seq, show, of.values()...)...)
	}
	return append(all, requests.SecretsOf(*m.request, show)...)
}
