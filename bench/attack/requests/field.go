package requests

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

var ownNames = []string{"seq", "uuid", "random", "column", "raw", "json", "base64"}

const sessionName = "session"

type field struct {
	of     string // for errors
	stream uint64 // of random numbers, independent of other fields
	parts  []part // nil: not only text and values
	full   *full
}

type part struct {
	what      what
	text      string
	column    int // or index of a captured value
	low, high int64
	at        position
}

type what int

const (
	aText what = iota
	aColumn
	aSeq
	aUUID
	aRandom
	aCaptured
	aSession
)

type filling struct {
	seed, seq uint64
	row       []Value
	captured  []Value
	session   uint64
	random    rand.PCG
	steps     int // iterations of loops
}

// The random numbers of a field are a function of seed, request and field.
func (f *filling) begin(stream uint64) {
	const odd = 0x9e3779b97f4a7c15
	f.random.Seed(f.seed^stream*odd, f.seq)
}

func (f *filling) between(low, high int64) int64 {
	n := uint64(high-low) + 1
	if n == 0 { // all
		return int64(f.random.Uint64())
	}
	above, _ := bits.Mul64(f.random.Uint64(), n)
	return low + int64(above)
}

// putUUID appends a UUID of version 4 (RFC 9562).
func (f *filling) putUUID(to []byte) []byte {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], f.random.Uint64())
	binary.LittleEndian.PutUint64(b[8:], f.random.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	to = hex.AppendEncode(to, b[:4])
	for _, part := range [][]byte{b[4:6], b[6:8], b[8:10], b[10:]} {
		to = hex.AppendEncode(append(to, '-'), part)
	}
	return to
}

func (f *filling) put(to []byte, of *field) ([]byte, error) {
	f.begin(of.stream)
	if of.full != nil {
		return of.full.put(to, f)
	}
	begins := len(to)
	for i := range of.parts {
		if to = f.part(to, &of.parts[i]); len(to)-begins > maxFilled {
			return to, fmt.Errorf("%s: %w", of.of, errTooMuchText)
		}
	}
	return to, nil
}

func (f *filling) part(to []byte, p *part) []byte {
	switch p.what {
	case aColumn:
		return p.at.put(to, f.row[p.column])
	case aSeq:
		return strconv.AppendUint(to, f.seq, 10)
	case aCaptured:
		return p.at.put(to, f.captured[p.column])
	case aSession:
		return strconv.AppendUint(to, f.session, 10)
	case aRandom:
		return strconv.AppendInt(to, f.between(p.low, p.high), 10)
	case aUUID:
		if p.at == inJSON {
			return append(f.putUUID(append(to, '"')), '"')
		}
		return f.putUUID(to)
	}
	return append(to, p.text...)
}

func (of *field) static() bool {
	return of.full == nil && !slices.ContainsFunc(of.parts, func(p part) bool {
		return p.what != aText
	})
}

func (r *Request) parse(of, text string, begins position) (*field, error) {
	fd := &field{of: of, stream: r.streams}
	r.streams++
	if !strings.Contains(text, "{{") {
		fd.parts = []part{{text: text}}
		return fd, nil
	}
	if err := checkActions(text); err != nil {
		return nil, fmt.Errorf("%s: %w", of, err)
	}
	t, err := template.New(of).Funcs(r.functions(&executor{})).Parse(text)
	if err != nil {
		return nil, r.mistake(err)
	}
	if len(t.Templates()) > 1 {
		return nil, fmt.Errorf("%s: define and block are not supported", of)
	}
	if t.Tree == nil || t.Root == nil {
		return fd, nil
	}
	at := begins
	for _, n := range t.Root.Nodes {
		p, ok, err := r.part(n, at)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", of, lineOf([]byte(text), int(n.Position())), err)
		}
		if !ok {
			fd.parts = nil
			fd.full, err = r.whole(t, begins)
			return fd, err
		}
		if at = at.advance(p.text); p.what != aText || p.text != "" {
			fd.parts = append(fd.parts, p)
		}
	}
	return fd, nil
}

// ok is false unless the node is text or a value.
func (r *Request) part(n parse.Node, at position) (p part, ok bool, err error) {
	p.at = at
	switch n := n.(type) {
	case *parse.TextNode:
		p.text = string(n.Text)
		return p, true, nil
	case *parse.CommentNode:
		return p, true, nil
	case *parse.ActionNode:
		if len(n.Pipe.Decl) > 0 || len(n.Pipe.Cmds) > 1 {
			return p, false, nil
		}
		args := n.Pipe.Cmds[0].Args
		name, isName := args[0].(*parse.IdentifierNode)
		if !isName {
			return p, false, nil
		}
		if err := at.wrong(); err != nil {
			return p, false, err
		}
		column := r.column(name.Ident)
		captured := slices.Index(r.step.Captured, name.Ident)
		switch {
		case captured >= 0 && len(args) == 1:
			p.what, p.column, r.takes = aCaptured, captured, true
		case name.Ident == sessionName && r.step.Of > 0 && len(args) == 1:
			p.what = aSession
		case column >= 0 && len(args) == 1:
			p.what, p.column = aColumn, column
		case name.Ident == "seq" && len(args) == 1:
			p.what = aSeq
		case name.Ident == "uuid" && len(args) == 1:
			p.what = aUUID
		case name.Ident == "random" && len(args) == 3:
			low, isLow := args[1].(*parse.NumberNode)
			high, isHigh := args[2].(*parse.NumberNode)
			if !isLow || !isHigh || !low.IsInt || !high.IsInt {
				return p, false, nil
			}
			if low.Int64 > high.Int64 {
				return p, false, fmt.Errorf("random %d %d: want the lower one first", low.Int64,
					high.Int64)
			}
			p.what, p.low, p.high = aRandom, low.Int64, high.Int64
		case name.Ident == "column" && len(args) == 2:
			text, isText := args[1].(*parse.StringNode)
			if !isText {
				return p, false, nil
			}
			if p.column = r.column(text.Text); p.column < 0 {
				return p, false, r.noColumn(text.Text)
			}
			p.what = aColumn
		default:
			return p, false, nil
		}
		return p, true, nil
	}
	return p, false, nil
}

// Reserved returns the names that no value can have: functions and keywords of templates.
func Reserved() []string {
	return slices.Concat(ownNames, keywords, []string{sessionName, "and", "or", "not", "len",
		"index", "slice", "print", "printf", "println", "html", "js", "urlquery", "call", "eq", "ne", "lt",
		"le", "gt", "ge"})
}
