package requests

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// A Frame is an encoded HTTP/1.1 request with gaps for the values.
type Frame struct {
	of     *Request
	pieces []piece
	body   *field
}

// A piece is text, a part of a field, or the length of the body.
type piece struct {
	text   []byte
	field  *field
	part   *part
	length bool
}

// Marked returns the request with marks instead of values. ok is false if URL or headers are not
// only text and values, or contain a captured value.
func (r *Request) Marked() (to vegeta.Target, ok bool) {
	to = vegeta.Target{Method: r.method, Header: http.Header{}}
	n := 0
	marked := func(fd *field) string {
		var b []byte
		for i := range fd.parts {
			if p := &fd.parts[i]; p.what == aText {
				b = append(b, p.text...)
			} else {
				b = append(b, mark(n)...)
				n++
			}
		}
		return string(b)
	}
	if r.url.full != nil || r.takes {
		return to, false
	}
	to.URL = marked(r.url)
	for _, h := range r.headers {
		if h.full != nil {
			return to, false
		}
		to.Header[h.name] = append(to.Header[h.name], marked(h.field))
	}
	if r.body != nil {
		to.Body = []byte{'x'}
	}
	return to, true
}

// No encoding changes a mark.
func mark(n int) string { return "pbz" + strconv.Itoa(n) + "zbp" }

// Frame makes a Frame of the encoded Marked request.
func (r *Request) Frame(encoded []byte) (*Frame, error) {
	f := &Frame{of: r, body: r.body}
	type found struct {
		from, to int
		piece
	}
	var all []found
	find := func(text string, is piece) error {
		at := bytes.Index(encoded, []byte(text))
		if at < 0 || bytes.LastIndex(encoded, []byte(text)) != at {
			return fmt.Errorf("%q cannot be part of it", text)
		}
		all = append(all, found{at, at + len(text), is})
		return nil
	}
	n := 0
	fields := []*field{r.url}
	for _, h := range r.headers {
		fields = append(fields, h.field)
	}
	for _, fd := range fields {
		for i := range fd.parts {
			if p := &fd.parts[i]; p.what != aText {
				if err := find(mark(n), piece{field: fd, part: p}); err != nil {
					return nil, err
				}
				n++
			}
		}
	}
	if r.body != nil {
		const length = "\r\nContent-Length: "
		if err := find(length+"1\r\n", piece{length: true}); err != nil {
			return nil, err
		}
		last := &all[len(all)-1]
		last.from, last.to = last.from+len(length), last.to-len("\r\n")
		encoded = bytes.TrimSuffix(encoded, []byte{'x'})
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Compare(a.from, b.from) })
	at := 0
	for _, p := range all {
		f.pieces = append(f.pieces, piece{text: encoded[at:p.from]}, p.piece)
		at = p.to
	}
	f.pieces = append(f.pieces, piece{text: encoded[at:]})
	return f, nil
}

// Put appends request number seq and returns the length of its body.
func (f *Frame) Put(to []byte, scratch *[]byte, seed, seq uint64) (_ []byte, body int, err error) {
	with := f.of.filling(seed, seq, nil)
	if f.body != nil {
		if *scratch, err = with.put((*scratch)[:0], f.body); err != nil {
			return to, 0, err
		}
	}
	begins := len(to)
	var in *field
	for i := range f.pieces {
		switch p := &f.pieces[i]; {
		case p.length:
			to = strconv.AppendInt(to, int64(len(*scratch)), 10)
		case p.part != nil:
			if in != p.field {
				in = p.field
				with.begin(in.stream)
			}
			if to = with.part(to, p.part); len(to)-begins > maxFilled {
				return to, 0, errTooMuchText
			}
		default:
			to = append(to, p.text...)
		}
	}
	if f.body == nil {
		return to, 0, nil
	}
	return append(to, *scratch...), len(*scratch), nil
}
