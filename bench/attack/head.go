package attack

import (
	"bytes"
	"net/http"
	"strings"
)

type responseHead struct {
	Status     int
	Size       int   // bytes up to the body
	Length     int64 // of the body; below 0: chunked
	Closes     bool  // the connection must not be reused
	Redirects  bool  // it has a redirect's location
	RetryAfter []byte
}

// parseHead parses the headers that nearly every server sends. http.ReadResponse needs 2 µs and 10
// allocations more, half of the cost of a call, and must parse everything for which ok is false.
// Accepted headers have the same meaning in both (FuzzHead).
func parseHead(b []byte, method string) (h responseHead, ok bool) {
	const version = "HTTP/1.1 "
	if len(b) < len(version)+4 || string(b[:len(version)]) != version {
		return h, false
	}
	for _, c := range b[len(version) : len(version)+3] {
		if c < '0' || c > '9' {
			return h, false
		}
		h.Status = 10*h.Status + int(c-'0')
	}
	if c := b[len(version)+3]; h.Status < 200 || c != ' ' && c != '\r' {
		return h, false
	}
	h.Length = -2 // unknown
	for at, line := 0, 0; ; line++ {
		n := bytes.IndexByte(b[at:], '\n')
		if n < 1 || b[at+n-1] != '\r' {
			return h, false
		}
		text := b[at : at+n-1]
		at += n + 1
		if len(text) == 0 {
			h.Size = at
			break
		}
		if line > 0 && !h.field(text) || bytes.IndexByte(text, '\r') >= 0 {
			return h, false
		}
	}
	switch {
	case method == http.MethodHead, h.Status == http.StatusNoContent,
		h.Status == http.StatusNotModified:
		h.Length = 0
	case h.Length == -2, method == http.MethodConnect:
		return h, false
	}
	return h, true
}

func (h *responseHead) field(line []byte) (ok bool) {
	colon := bytes.IndexByte(line, ':')
	if colon < 1 {
		return false
	}
	name, value := line[:colon], line[colon+1:]
	for _, c := range name {
		if !isNameByte[c] {
			return false
		}
	}
	for _, c := range value {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch len(name) {
	case len("Trailer"):
		return !named(name, "Trailer")
	case len("Location"):
		h.Redirects = h.Redirects || named(name, "Location") && len(bytes.TrimSpace(value)) > 0
	case len("Connection"):
		if named(name, "Connection") {
			h.Closes = h.Closes || named(value, "close")
			return h.Closes || named(value, "keep-alive")
		}
	case len("Retry-After"):
		if named(name, "Retry-After") && h.RetryAfter == nil {
			h.RetryAfter = value
		}
	case len("Content-Length"):
		if named(name, "Content-Length") {
			return h.Length == -2 && h.lengthOf(value)
		}
	case len("Transfer-Encoding"):
		if named(name, "Transfer-Encoding") {
			ok = h.Length == -2 && named(value, "chunked")
			h.Length = -1
			return ok
		}
	}
	return true
}

func (h *responseHead) lengthOf(digits []byte) (ok bool) {
	h.Length = 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
		h.Length = 10*h.Length + int64(c-'0')
	}
	return 0 < len(digits) && len(digits) < 19
}

func named(b []byte, name string) bool {
	return len(b) == len(name) && bytes.EqualFold(b, []byte(name))
}

var isNameByte = func() (is [256]bool) {
	for c := range rune(0x80) {
		is[c] = isToken(c)
	}
	return is
}()

// isToken follows RFC 9110, 5.6.2.
func isToken(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		strings.ContainsRune("!#$%&'*+-.^_`|~", c)
}
