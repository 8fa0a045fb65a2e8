package attack

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/internal/text"
)

// CheckSent returns an error if a request cannot be sent, with any row of the data if it is a
// template. The error begins with its location.
func (a Attack) CheckSent(r Request) error { return a.checkSent(r, -1) }

// CheckStep is CheckSent for a step of the session.
func (a Attack) CheckStep(step int) error { return a.checkSent(a.Requests[step], step) }

func (a Attack) checkSent(r Request, i int) error {
	err := a.checkRequest(r, i)
	if secrets := requests.SecretsOfVariables(a.Environment); err != nil && len(secrets) > 0 {
		err = errors.New(requests.MaskValues(err.Error(), secrets))
	}
	return err
}

func (a Attack) checkRequest(r Request, i int) error {
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

// The errors contain no password.
func checkRequest(r Request) error {
	u, err := url.Parse(r.URL)
	hidden := func() bool {
		return strings.Contains(r.URL, "@") || err != nil &&
			strings.Contains(err.Error(), "invalid port")
	}
	shown := func() string {
		if hidden() {
			return "URL (not shown, as it may hold a password)"
		}
		return "URL " + strconv.Quote(ShownURL(r.URL))
	}
	switch {
	case !strings.Contains(r.URL, "://"), err == nil && u.Scheme != "http" &&
		u.Scheme != "https" && protocols[u.Scheme] == nil:
		return fmt.Errorf("%s: want %s", shown(), schemeForms())
	case err != nil && hidden():
		return fmt.Errorf("%s: it is malformed", shown()) // quotes no input
	case err != nil:
		return fmt.Errorf("%s: %w", shown(), errors.Unwrap(err))
	case u.Hostname() == "":
		return fmt.Errorf("%s: it has no host", shown())
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("%s: port %s: want 1 to 65535", shown(), port)
		}
	}
	if strings.ContainsFunc(r.Method, func(c rune) bool { return !isToken(c) }) {
		return fmt.Errorf("method %q: want letters, such as GET", r.Method)
	}
	return checkHeader(r.Header)
}

func schemeForms() string {
	all := Schemes()
	for i, s := range all {
		all[i] = s + "://…"
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// Shown masks the URLs in a text: see ShownURL.
func Shown(s string) string { return text.DiscreetText(s) }

// ShownURL removes user, password and fragment from a URL, and masks query values and path segments
// that look like tokens.
func ShownURL(address string) string { return text.DiscreetURL(address) }

// Show is ShownURL, but with the values of ShowQuery.
func (a *Attack) Show(address string) string {
	return a.masked(text.DiscreetURL(address, a.ShowQuery...))
}

func (a *Attack) masked(address string) string {
	secrets := requests.SecretsOfVariables(a.Environment)
	if len(secrets) == 0 {
		return address
	}
	origin, rest := cutOrigin(address)
	if origin == address { // no scheme
		host, path, ok := strings.Cut(address, "/")
		if origin, rest = host, ""; ok {
			rest = "/" + path
		}
	}
	return origin + requests.MaskValues(rest, secrets)
}

// withoutUser moves the URL's user to the Authorization header, as net/http does, so that neither
// results nor errors contain it.
func withoutUser(r Request) Request {
	if !hasUser(r) {
		return r
	}
	origin, rest := cutOrigin(r.URL)
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

func hasUser(r Request) bool {
	origin, _ := cutOrigin(r.URL)
	return strings.Contains(origin, "@")
}

func cutOrigin(address string) (origin, rest string) {
	scheme, behind, ok := strings.Cut(address, "://")
	if !ok {
		return address, ""
	}
	if at := strings.IndexAny(behind, "/?#"); at >= 0 {
		at += len(scheme) + len("://")
		return address[:at], address[at:]
	}
	return address, ""
}

func checkHeader(h http.Header) error {
	for name, values := range h {
		other := func(c rune) bool { return !isToken(c) }
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
