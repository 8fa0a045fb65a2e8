// Package checks says whether an answer is what was wanted.
package checks

import (
	"bytes"
	"net/http"
	"strings"
)

// MostBody is how much of a body is kept: no answer takes more memory than that.
const MostBody = 1 << 20

// Needs say what of answers is to be kept; the zero value is nothing.
type Needs struct{ Head, Body bool }

// An Answer is what is kept of one.
type Answer struct {
	Status int
	Size   int64       // of the body, in bytes as they came
	Header http.Header // nil: it is in Head
	Head   []byte      // status line and header as they came
	Body   []byte      // its first bytes, as they came
	Cut    bool        // more came than was kept
}

// Write keeps what may be kept of a piece of the body. It implements io.Writer.
func (a *Answer) Write(p []byte) (int, error) {
	fits := min(len(p), MostBody-len(a.Body))
	a.Body = append(a.Body, p[:fits]...)
	a.Cut = a.Cut || fits < len(p)
	return len(p), nil
}

// Value is that of a header, "" where there is none; of several, all with commas.
func (a *Answer) Value(name string) string {
	if a.Header != nil {
		return strings.Join(a.Header.Values(name), ", ")
	}
	var value string
	_, rest, _ := bytes.Cut(a.Head, []byte("\r\n"))
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		key, v, ok := bytes.Cut(line, []byte(":"))
		if !ok || len(key) != len(name) || !bytes.EqualFold(key, []byte(name)) {
			continue
		}
		if text := string(bytes.TrimSpace(v)); value == "" {
			value = text
		} else {
			value += ", " + text
		}
	}
	return value
}
