// Package checks tests answers to the requests of an attack: Parse reads a Check such as "status ==
// 200" or "json .ok", and List.Failed returns the first check that an Answer fails.
package checks

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"
)

// MostBody is how much of a body checks look at: no answer takes more memory than that.
const MostBody = 1 << 20

// Needs say what of answers is to be kept; the zero value is nothing.
type Needs struct {
	Head bool
	Body int // so many bytes of it
}

// An Answer is what is kept of one.
type Answer struct {
	Status int
	Size   int64 // of the body, in bytes as they came
	// from when the request was due to the end of the answer
	Response time.Duration
	Header   http.Header // nil: it is in Head
	Head     []byte      // status line and header as they came
	Body     []byte      // its first bytes, as they came
	Cut      bool        // more came than was kept
	Most     int         // bytes of the body that are kept
	// the URLs that redirects have led to before it
	Followed []string

	Ends       <-chan struct{} // of the attack; nil: it goes on
	Unfinished bool            // a check was given up when the attack ended

	asked bool // for what follows
	plain plain
}

// A plain body is one that is not encoded.
type plain struct {
	text []byte
	cut  bool
	err  error
}

// Reset makes it an empty one, in the same memory, that keeps so much of a body.
func (a *Answer) Reset(most int) {
	*a = Answer{Head: a.Head[:0], Body: a.Body[:0], Followed: a.Followed[:0], Most: most}
}

// Write keeps what may be kept of a piece of the body. It implements io.Writer.
func (a *Answer) Write(p []byte) (int, error) {
	fits := min(len(p), a.Most-len(a.Body))
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

// Fields is the header.
func (a *Answer) Fields() http.Header {
	if a.Header != nil {
		return a.Header
	}
	_, rest, _ := bytes.Cut(a.Head, []byte("\r\n"))
	fields, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(rest))).ReadMIMEHeader()
	if err != nil {
		return nil // never: it was read as a header before
	}
	return http.Header(fields)
}

func (a *Answer) has(name string) bool {
	if a.Header != nil {
		return len(a.Header.Values(name)) > 0
	}
	return a.Value(name) != "" || bytes.Contains(bytes.ToLower(a.Head),
		[]byte("\r\n"+strings.ToLower(name)+":"))
}

var errLong = errors.New("the body is longer than the 1 MiB that is looked at")

// Text is the body as it is meant, without its encoding; cut says that there was more than is kept.
// It is not to be changed.
func (a *Answer) Text() (text []byte, cut bool, err error) {
	if !a.asked {
		a.asked, a.plain = true, plain{text: a.Body, cut: a.Cut}
		switch encoding := strings.ToLower(a.Value("Content-Encoding")); encoding {
		case "", "identity":
		case "gzip", "x-gzip":
			a.plain = unzipped("gzip", a.Body, a.Cut, func(r io.Reader) (io.Reader, error) {
				return gzip.NewReader(r)
			})
		case "deflate":
			a.plain = unzipped("deflate", a.Body, a.Cut, func(r io.Reader) (io.Reader, error) {
				return zlib.NewReader(r)
			})
		default: // to compare the bytes of those would be to compare something else
			a.plain.err = fmt.Errorf("the body is encoded as %s, which is not undone",
				named(encoding))
		}
	}
	return a.plain.text, a.plain.cut, a.plain.err
}

// encodings are those that answers are known to have; a server may say anything.
var encodings = []string{"br", "zstd", "compress", "x-compress", "dcb", "dcz"}

// named is the encoding in words that do not differ from answer to answer.
func named(encoding string) string {
	if slices.Contains(encodings, encoding) {
		return encoding
	}
	if strings.Contains(encoding, ",") {
		return "several in turn"
	}
	return "something unknown"
}

// unzipped is as much as may be kept of what was zipped: a bomb is cut like any other.
func unzipped(
	encoding string, zipped []byte, cut bool, reader func(io.Reader) (io.Reader, error),
) plain {
	if len(zipped) == 0 {
		return plain{cut: cut}
	}
	broken := plain{err: fmt.Errorf("the body is no whole %s", encoding)}
	r, err := reader(bytes.NewReader(zipped))
	if err != nil {
		return broken
	}
	text, err := io.ReadAll(io.LimitReader(r, MostBody+1))
	switch {
	case len(text) > MostBody:
		return plain{text: text[:MostBody], cut: true}
	case err != nil && !cut:
		return broken
	}
	return plain{text: text, cut: cut}
}
