package attack

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack/heads"
	"github.com/poolbench/poolbench/bench/attack/templates"
	"github.com/poolbench/poolbench/internal/text/prose"
)

// Formats are those of ReadRequests: vegeta's own.
var Formats = []string{vegeta.HTTPTargetFormat, vegeta.JSONTargetFormat}

// MaxText is the most that a targets file and the files that it names for bodies may hold, all in
// all.
const MaxText = 64 << 20

// maxLine is the longest line that vegeta's reader of the http format can take. It takes a longer
// one for the end of the file.
const maxLine = 64 << 10

// ReadRequests reads a targets file of vegeta's, in one of the Formats. Method, header and body are
// those of requests that name none. The files that an http one names for bodies (@path) are read.
func ReadRequests(text []byte, format string, with Request) ([]Request, error) {
	var next vegeta.Targeter
	switch format {
	case vegeta.HTTPTargetFormat:
		left := int64(MaxText)
		for i, line := range bytes.Split(text, []byte("\n")) {
			if len(line) >= maxLine {
				return nil, fmt.Errorf("line %d has %d bytes; want fewer than %d", i+1,
					len(line), maxLine)
			}
			if path, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "@"); ok {
				info, err := os.Stat(path) // which vegeta reads to its end
				switch {
				case err != nil: // so will vegeta find
				case !info.Mode().IsRegular():
					return nil, fmt.Errorf("line %d: %s: want a regular file", i+1, path)
				case info.Size() > left:
					return nil, fmt.Errorf("line %d: %s: more than %d MiB, with the bodies "+
						"before it", i+1, path, MaxText>>20)
				default:
					left -= info.Size()
				}
			}
		}
		next = vegeta.NewHTTPTargeter(bytes.NewReader(text), with.Body, with.Header)
	case vegeta.JSONTargetFormat:
		next = vegeta.NewJSONTargeter(bytes.NewReader(text), with.Body, with.Header)
	default:
		return nil, fmt.Errorf("unknown format %q (known: %s)", format, strings.Join(Formats, ", "))
	}
	all, err := vegeta.ReadAllTargets(next)
	if err != nil {
		return nil, fmt.Errorf("%s", Shown(prose.OneLine(err.Error())))
	}
	for i, r := range all {
		if strings.Contains(r.URL, "{{") {
			continue // Validate knows whether it is filled in
		}
		if err := checkRequest(r); err != nil {
			return nil, fmt.Errorf("target %d: %w", i+1, err)
		}
	}
	return all, nil
}

// CheckSent returns an error for a request that cannot be sent, or, if it is filled in, that cannot
// be sent for some row of the data. The error begins with the location: URL, header or body, or a
// line of the data.
func (a Attack) CheckSent(r Request) error { return a.checkSent(r, -1) }

// CheckStep is CheckSent for a step of the session.
func (a Attack) CheckStep(step int) error { return a.checkSent(a.Requests[step], step) }

func (a Attack) checkSent(r Request, i int) error {
	if !a.isTemplate(r) {
		return checkRequest(r)
	}
	parsed, err := a.parse(r, i)
	if err == nil {
		err = parsed.Check()
	}
	if err == nil {
		r, err = parsed.Example(a.Seed)
	}
	if err != nil {
		return fmt.Errorf("%s", Shown(err.Error()))
	}
	return checkRequest(r)
}

// checkRequest finds what a server would never get to see. No error holds a password.
func checkRequest(r Request) error {
	u, err := url.Parse(r.URL)
	shown := "URL " + strconv.Quote(ShownURL(r.URL))
	if strings.Contains(r.URL, "@") || err != nil && strings.Contains(err.Error(), "invalid port") {
		if shown = "URL (not shown, as it may hold a password)"; err != nil {
			err = &url.Error{Err: errors.New("it is malformed")} // which quotes nothing of it
		}
	}
	switch {
	case !strings.Contains(r.URL, "://"), err == nil && u.Scheme != "http" &&
		u.Scheme != "https" && protocols[u.Scheme] == nil:
		return fmt.Errorf("%s: want %s", shown, known())
	case err != nil:
		return fmt.Errorf("%s: %w", shown, errors.Unwrap(err))
	case u.Hostname() == "":
		return fmt.Errorf("%s: it has no host", shown)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("%s: port %s: want 1 to 65535", shown, port)
		}
	}
	r = withoutUser(r)
	if _, err := r.Request(); err != nil {
		return fmt.Errorf("%s", prose.OneLine(err.Error()))
	}
	return checkHeader(r.Header)
}

// known are the schemes as they are typed.
func known() string {
	all := Schemes()
	for i, s := range all {
		all[i] = s + "://…"
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// Shown is a text with URLs in it as it may be shown: see ShownURL.
func Shown(text string) string { return templates.ShownText(text) }

// ShownURL is a URL as it may be shown: without user, password and fragment, and without the values
// of its query.
func ShownURL(address string) string { return templates.ShownURL(address) }

// Show is a URL of the attack as it may be shown: as by ShownURL, with the values of ShowQuery.
func (a *Attack) Show(address string) string {
	return templates.ShownURL(address, a.ShowQuery...)
}

// withoutUser moves the user of the URL to the header, where net/http would put it, so that neither
// results nor errors can hold it. What is behind the host stays as it is: it may be a template.
func withoutUser(r Request) Request {
	origin, rest := cutOrigin(r.URL)
	if !strings.Contains(origin, "@") {
		return r
	}
	u, err := url.Parse(origin)
	if err != nil || u.User == nil {
		return r
	}
	password, _ := u.User.Password()
	with := http.Request{Header: r.Header.Clone()}
	if with.Header == nil {
		with.Header = http.Header{}
	}
	if with.Header.Get("Authorization") == "" {
		with.SetBasicAuth(u.User.Username(), password)
	}
	u.User = nil
	r.URL, r.Header = u.String()+rest, with.Header
	return r
}

// cutOrigin cuts a URL behind scheme and host.
func cutOrigin(address string) (origin, rest string) {
	scheme, behind, ok := strings.Cut(address, "://")
	if !ok {
		return address, ""
	}
	if at := strings.IndexAny(behind, "/?#"); at >= 0 {
		return scheme + "://" + behind[:at], behind[at:]
	}
	return address, ""
}

func checkHeader(h http.Header) error {
	for name, values := range h {
		other := func(c rune) bool { return !heads.IsToken(c) }
		if name == "" || strings.ContainsFunc(name, other) {
			return fmt.Errorf("header %q is not a valid name", name)
		}
		for _, v := range values {
			if strings.ContainsFunc(v,
				func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				return fmt.Errorf("header %s: the value has a control character", name)
			}
		}
	}
	return nil
}
