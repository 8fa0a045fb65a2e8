package checks

import (
	"bytes"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
)

// An Expression is a regular expression whose matching stops when the attack ends.
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

// The end of the attack is tested after every atOnce states, at most 40 ms apart.
const atOnce = 1 << 20

// Find returns the groups of the first match, as regexp.FindSubmatchIndex. If the attack ends
// first, it marks the answer Unfinished.
func (e *Expression) Find(a *Answer, text []byte) []int {
	if e.states*len(text) <= atOnce {
		return e.compiled.FindSubmatchIndex(text)
	}
	begins, _ := e.compiled.LiteralPrefix()
	at := bytes.Index(text, []byte(begins)) // each match begins with the prefix
	if at < 0 {
		return nil
	}
	r := &interrupted{Reader: bytes.NewReader(text[at:]), ends: a.Ends, each: atOnce / e.states}
	found := e.compiled.FindReaderSubmatchIndex(r)
	a.Unfinished = a.Unfinished || r.ended
	for i := range found {
		if found[i] >= 0 { // a group that matched
			found[i] += at
		}
	}
	return found
}

func (e *Expression) matches(a *Answer, text []byte) bool {
	if e.states*len(text) <= atOnce {
		return e.compiled.Match(text)
	}
	return e.Find(a, text) != nil
}

type interrupted struct {
	*bytes.Reader
	ends    <-chan struct{}
	each, n int // characters between two tests, and since the last
	ended   bool
}

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

// Each part of a gjson path may scan the whole body.
const maxPath = 1 << 10

// JSONPath converts the path of a check or capture for gjson.
func JSONPath(path string) (string, error) {
	switch {
	case path == ".":
		return "@this", nil
	case strings.TrimPrefix(path, ".") == "":
		return "", errPath
	case len(path) > maxPath:
		return "", errLongPath
	}
	return strings.TrimPrefix(path, "."), nil
}
