package checks

import (
	"bytes"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
)

// An Expression is a regular expression that is matched for as long as the attack goes on: a long
// one takes minutes for 1 MiB.
type Expression struct {
	compiled *regexp.Regexp
	states   int
}

// CompileExpression is regexp.Compile.
func CompileExpression(pattern string) (*Expression, error) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	return &Expression{compiled, len(program.Inst)}, nil
}

// atOnce is how many states an expression may go through, over all bytes of a text, before somebody
// looks whether the attack has ended: it takes some 40 ms at most, and others are under way.
const atOnce = 1 << 20

// Find returns the places of the groups of the first match in a text of the answer, as
// regexp.FindSubmatchIndex. When the attack ends first, the answer is Unfinished.
func (e *Expression) Find(a *Answer, text []byte) []int {
	if e.states*len(text) <= atOnce {
		return e.compiled.FindSubmatchIndex(text)
	}
	begins, _ := e.compiled.LiteralPrefix()
	at := bytes.Index(text, []byte(begins)) // each match begins so: there is none before
	if at < 0 {
		return nil
	}
	r := &interrupted{Reader: bytes.NewReader(text[at:]), ends: a.Ends, each: atOnce / e.states}
	found := e.compiled.FindReaderSubmatchIndex(r)
	a.Unfinished = a.Unfinished || r.ended
	for i := range found {
		if found[i] >= 0 { // of a group that is in the match
			found[i] += at
		}
	}
	return found
}

// matches reports whether there is a match.
func (e *Expression) matches(a *Answer, text []byte) bool {
	if e.states*len(text) <= atOnce {
		return e.compiled.Match(text)
	}
	return e.Find(a, text) != nil
}

// An interrupted text ends when the attack does.
type interrupted struct {
	*bytes.Reader
	ends    <-chan struct{}
	each, n int // characters between two looks; since the last one
	ended   bool
}

// ReadRune implements io.RuneReader.
func (r *interrupted) ReadRune() (rune, int, error) {
	if r.n++; r.n >= r.each && !r.ended {
		r.n = 0
		select {
		case <-r.ends:
			r.ended = true
		default:
		}
	}
	if r.ended {
		return 0, 0, io.EOF
	}
	return r.Reader.ReadRune()
}

// mostPath is the length of the longest path of gjson, each part of which may look at all of a
// body.
const mostPath = 1 << 10

// JSONPath is a path as it is written in a check or a capture, for gjson.
func JSONPath(path string) (string, error) {
	switch {
	case path == ".":
		return "@this", nil
	case strings.TrimPrefix(path, ".") == "":
		return "", errPath
	case len(path) > mostPath:
		return "", errLongPath
	}
	return strings.TrimPrefix(path, "."), nil
}
