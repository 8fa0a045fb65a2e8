// Package checks tests answers to the requests of an attack with checks such as "status == 200".
package checks

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"
)

// MaxBody is the default limit of the part of a body that checks read.
const MaxBody = 1 << 20

// Needs are the parts of answers to keep.
type Needs struct {
	Head bool
	Body int // bytes
}

// An Answer is the kept part of an answer.
type Answer struct {
	Status   int
	Size     int64 // of the body, in bytes as received
	Response time.Duration
	Header   http.Header // nil: in Head
	Head     []byte      // status line and header as received
	Body     []byte      // its first bytes, as received
	Cut      bool        // not all was kept
	Most     int         // maximum size of Body
	Message  string      // of a gRPC status
	// URLs of the redirects before it
	Followed []string

	Ends       <-chan struct{} // end of the attack; nil: none
	Unfinished bool            // a check was cut short by the end of the attack

	asked bool // plain is set
	plain plain
}

type plain struct {
	text []byte
	cut  bool
	err  error
}

// Reset empties the answer for reuse. It will keep most bytes of a body.
func (a *Answer) Reset(most int) {
	*a = Answer{Head: a.Head[:0], Body: a.Body[:0], Followed: a.Followed[:0], Most: most}
}

func (a *Answer) Write(p []byte) (int, error) {
	fits := min(len(p), a.Most-len(a.Body))
	a.Body = append(a.Body, p[:fits]...)
	a.Cut = a.Cut || fits < len(p)
	return len(p), nil
}

// Value returns a header's value, joined with commas if repeated, or "".
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

// Fields returns the header.
func (a *Answer) Fields() http.Header {
	if a.Header != nil {
		return a.Header
	}
	_, rest, _ := bytes.Cut(a.Head, []byte("\r\n"))
	fields, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(rest))).ReadMIMEHeader()
	if err != nil {
		return nil // unreachable: parsed before
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

// Limit returns the size of the part that checks read: 1 MiB.
func (a *Answer) Limit() string { return Size(a.Most).String() }

func (a *Answer) tooLong() string {
	return "the body is longer than " + a.Limit() + ": raise --check-bytes"
}

// Text returns the decoded body, which must not be changed. cut reports that it is incomplete.
func (a *Answer) Text() (text []byte, cut bool, err error) {
	if !a.asked {
		a.asked, a.plain = true, plain{text: a.Body, cut: a.Cut}
		switch encoding := strings.ToLower(a.Value("Content-Encoding")); encoding {
		case "", "identity":
		case "gzip", "x-gzip":
			a.plain = unzipped("gzip", a, func(r io.Reader) (io.Reader, error) {
				return gzip.NewReader(r)
			})
		case "deflate":
			a.plain = unzipped("deflate", a, func(r io.Reader) (io.Reader, error) {
				return zlib.NewReader(r)
			})
		default: // encoded bytes are no basis for comparison
			a.plain.err = fmt.Errorf("the body is encoded as %s, which is not supported",
				named(encoding))
		}
	}
	return a.plain.text, a.plain.cut, a.plain.err
}

// encodings have no decoder. Others are grouped, as a server may send any name.
var encodings = []string{"br", "zstd", "compress", "x-compress", "dcb", "dcz"}

func named(encoding string) string {
	if slices.Contains(encodings, encoding) {
		return encoding
	}
	if strings.Contains(encoding, ",") {
		return "several in turn"
	}
	return "something unknown"
}

// unzipped decodes at most the kept size, which also limits zip bombs.
func unzipped(encoding string, a *Answer, reader func(io.Reader) (io.Reader, error)) plain {
	zipped, cut := a.Body, a.Cut
	if len(zipped) == 0 {
		return plain{cut: cut}
	}
	broken := plain{err: fmt.Errorf("the body is not a complete %s", encoding)}
	r, err := reader(bytes.NewReader(zipped))
	if err != nil {
		return broken
	}
	text, err := io.ReadAll(io.LimitReader(r, int64(a.Most)+1))
	switch {
	case len(text) > a.Most:
		return plain{text: text[:a.Most], cut: true}
	case err != nil && !cut:
		return broken
	}
	return plain{text: text, cut: cut}
}
