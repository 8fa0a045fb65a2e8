// Package yamltree parses YAML to a syntax tree, so errors can name the line and column of a word.
package yamltree

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/poolbench/poolbench/internal/text"
)

// want describes the expected content. Errors begin with name, the name of the file.
func Parse(name string, data []byte, want string) (ast.Node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s: not a text in UTF-8", name)
	}
	if err := checkNesting(name, lexer.Tokenize(string(data)), want); err != nil {
		return nil, err
	}
	file, err := parse(data)
	if err != nil {
		if at, ok := errors.AsType[yaml.Error](err); ok && at.GetToken() != nil {
			return nil, Wrong(name, at.GetToken(), "%s", OneLine(at.GetMessage()))
		}
		return nil, fmt.Errorf("%s: %s", name, OneLine(err.Error()))
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		return nil, fmt.Errorf("%s: empty: want %s", name, want)
	}
	if len(bodies) > 1 {
		_, what, _ := strings.Cut(want, " ")
		return nil, Wrong(name, bodies[1].GetToken(), "a second document: want one %s", what)
	}
	return bodies[0], nil
}

// A list of scenarios has three levels. The parser needs stack, and quadratic time, per level.
const (
	maxLevels = 8
	maxIndent = 200 // columns of indentation
)

// checkNesting rejects, before parsing, nesting that is too deep for the parser, and aliases that
// would multiply the contents.
func checkNesting(name string, tokens token.Tokens, want string) error {
	flow, entries, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, entries = t.Position.Line, 0
			if flow == 0 && t.Position.Column > maxIndent {
				return Wrong(name, t, "indented by more than %d columns", maxIndent)
			}
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.SequenceEntryType, token.MappingKeyType:
			entries++
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			_, what, _ := strings.Cut(want, " of ")
			return Wrong(name, t, "anchors and aliases are not for %s: write each out", what)
		}
		if flow > maxLevels || entries > maxLevels {
			return Wrong(name, t, "nested deeper than %d levels: want %s", maxLevels, want)
		}
	}
	return nil
}

// The parser panics on some inputs of users.
func parse(data []byte) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not YAML: %v", p)
		}
	}()
	return parser.ParseBytes(data, 0)
}

// Scalar returns a node's text as typed: 0.50 stays 0.50.
func Scalar(node ast.Node) (text string, ok bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func Wrong(name string, at *token.Token, format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{Place(name, at)}, args...)...)
}

func Place(name string, t *token.Token) string {
	if t == nil || t.Position == nil {
		return name
	}
	return fmt.Sprintf("%s:%d:%d", name, t.Position.Line, t.Position.Column)
}

func OneLine(s string) string {
	const most = 200
	s = text.OneLine(s)
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
