package attack

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Formats are those of ReadRequests: vegeta's own.
var Formats = []string{vegeta.HTTPTargetFormat, vegeta.JSONTargetFormat}

// maxLine is the longest line that vegeta's reader of the http format can take. It takes a longer one for the end of the file.
const maxLine = 64 << 10

// ReadRequests reads a targets file of vegeta's, in one of the Formats. Method, header and body are those of requests that name none.
// The files that an http one names for bodies (@path) are read.
func ReadRequests(text []byte, format string, with Request) ([]Request, error) {
	var next vegeta.Targeter
	switch format {
	case vegeta.HTTPTargetFormat:
		for i, line := range bytes.Split(text, []byte("\n")) {
			if len(line) >= maxLine {
				return nil, fmt.Errorf("line %d has %d bytes; want fewer than %d", i+1, len(line), maxLine)
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
		return nil, fmt.Errorf("%s", oneLine(err.Error()))
	}
	for i, r := range all {
		if err := checkRequest(r); err != nil {
			return nil, fmt.Errorf("target %d: %w", i+1, err)
		}
	}
	return all, nil
}

// checkRequest finds what a server would never get to see.
func checkRequest(r Request) error {
	built, err := r.Request()
	if err != nil {
		return fmt.Errorf("%s", oneLine(err.Error()))
	}
	switch {
	case built.URL.Scheme != "http" && built.URL.Scheme != "https":
		return fmt.Errorf("URL %q: want http://… or https://…", r.URL)
	case built.URL.Hostname() == "":
		return fmt.Errorf("URL %q: it has no host", r.URL)
	}
	return checkHeader(r.Header)
}

func checkHeader(h http.Header) error {
	for name, values := range h {
		if name == "" || strings.ContainsFunc(name, func(c rune) bool { return !isTokenRune(c) }) {
			return fmt.Errorf("header %q: that is no name", name)
		}
		for _, v := range values {
			if strings.ContainsFunc(v, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				return fmt.Errorf("header %s: the value has a control character", name)
			}
		}
	}
	return nil
}

// isTokenRune is the grammar of a header's name (RFC 9110, 5.6.2).
func isTokenRune(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.ContainsRune("!#$%&'*+-.^_`|~", c)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
