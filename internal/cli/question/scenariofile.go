package question

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/poolbench/poolbench/internal/files/bounded"
)

// maxScenarioFile bounds what is read: a scenario file is typed by a person.
const maxScenarioFile = 1 << 20

// A written matrix is one element of a scenario file.
type written struct {
	Words
	where string // file:line:column of its beginning
}

// readScenarioFile reads a YAML list of matrices. Their keys are the names of the flags, a value is
// what the flag takes or a list of that:
//
//	# load.yaml
//	- strategy: [worker_pool, semaphore]
//	  workload: hyperexp:mean=10ms,c2=16
//	  load: [0.5, 0.8]
//	  clock: virtual
//	- strategy: all
//	  arrival: batch
//	  n: 1000
//
// known are the keys that it may have.
func readScenarioFile(path string, known []string) ([]written, error) {
	data, err := bounded.ReadFile(path, maxScenarioFile)
	if err != nil {
		return nil, fmt.Errorf("--file: %w", err)
	}
	return parseScenarioFile(path, data, known)
}

// parseScenarioFile walks the syntax tree and not a decoded value, so that every complaint, also
// one about a parameter of a workload, has the line and column of the word that it is about.
func parseScenarioFile(name string, data []byte, known []string) ([]written, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s: not a text in UTF-8", name)
	}
	if err := checkNesting(name, lexer.Tokenize(string(data))); err != nil {
		return nil, err
	}
	file, err := parseYAML(data)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			return nil, wrong(name, at.GetToken(), "%s", oneLine(at.GetMessage()))
		}
		return nil, fmt.Errorf("%s: %s", name, oneLine(err.Error()))
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		return nil, fmt.Errorf("%s: empty: want a list of scenarios", name)
	}
	if len(bodies) > 1 {
		return nil, wrong(name, bodies[1].GetToken(),
			"a second document: want one list of scenarios")
	}
	list, ok := bodies[0].(*ast.SequenceNode)
	if !ok {
		return nil, wrong(name, bodies[0].GetToken(),
			`want a list of scenarios, each beginning with "- "`)
	}
	if len(list.Values) == 0 {
		return nil, wrong(name, list.GetToken(), "the list of scenarios is empty")
	}
	var all []written
	var complaints []error
	for _, node := range list.Values {
		w, err := readMatrix(name, node, known)
		all = append(all, w)
		complaints = append(complaints, err)
	}
	return all, errors.Join(complaints...)
}

// Bounds of nesting. A list of scenarios has three levels; the parser takes stack, and time that
// grows with the square, for each.
const (
	mostLevels = 8
	mostIndent = 200 // columns: of levels that are indented
)

// checkNesting refuses, before the file is parsed, what the parser would choke on, and what would
// make the file say more than is in it.
func checkNesting(name string, tokens token.Tokens) error {
	flow, entries, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, entries = t.Position.Line, 0
			if flow == 0 && t.Position.Column > mostIndent {
				return wrong(name, t, "indented by more than %d columns", mostIndent)
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
			return wrong(name, t, "anchors and aliases are not for scenarios: write each out")
		}
		if flow > mostLevels || entries > mostLevels {
			return wrong(name, t, "nested deeper than %d levels: want a list of scenarios",
				mostLevels)
		}
	}
	return nil
}

// parseYAML makes errors of the parser's panics: it is fed by users, and its tree has corners that
// it does not survive.
func parseYAML(data []byte) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not YAML: %v", p)
		}
	}()
	return parser.ParseBytes(data, 0)
}

// readMatrix reads the keys and values of one element.
func readMatrix(name string, node ast.Node, known []string) (written, error) {
	w := written{Words: Words{}, where: place(name, node.GetToken())}
	pairs, ok := node.(*ast.MappingNode)
	if !ok || len(pairs.Values) == 0 {
		return w, fmt.Errorf("%s: want keys such as strategy: semaphore, got %q", w.where,
			oneLine(node.String()))
	}
	w.where = place(name, pairs.Values[0].Key.GetToken())
	var complaints []error
	for _, pair := range pairs.Values {
		key := pair.Key.GetToken()
		if !slices.Contains(known, key.Value) {
			complaints = append(complaints, wrong(name, key, "unknown key %q (known: %s)",
				key.Value, strings.Join(known, ", ")))
			continue
		}
		values, err := readValues(name, key.Value, pair.Value)
		complaints = append(complaints, err)
		w.Words[key.Value] = values
	}
	return w, errors.Join(complaints...)
}

// readValues reads a value or a list of values.
func readValues(name, key string, node ast.Node) ([]Word, error) {
	nodes := []ast.Node{node}
	if list, ok := node.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	if len(nodes) == 0 {
		return nil, wrong(name, node.GetToken(), "%s: the list is empty", key)
	}
	var values []Word
	for _, n := range nodes {
		where := fmt.Sprintf("%s: %s", place(name, n.GetToken()), key)
		text, ok := scalar(n)
		if !ok {
			return nil, fmt.Errorf("%s: want a value or a list of values, got %s", where,
				strings.ToLower(n.Type().String()))
		}
		if len(nodes) > 1 && strings.Contains(text, "=") && !strings.ContainsAny(text, ": ") {
			return nil, fmt.Errorf("%s: %q stands alone: YAML splits a [list] at every comma, so "+
				"quote a name with parameters", where, text)
		}
		values = append(values, Word{text, where})
	}
	return values, nil
}

// scalar returns a node's text as it was typed: 0.50 stays 0.50.
func scalar(node ast.Node) (text string, ok bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// wrong is an error about a word of the file.
func wrong(name string, at *token.Token, format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{place(name, at)}, args...)...)
}

func place(name string, t *token.Token) string {
	if t == nil || t.Position == nil {
		return name
	}
	return fmt.Sprintf("%s:%d:%d", name, t.Position.Line, t.Position.Column)
}

// oneLine keeps a foreign message to one short line.
func oneLine(s string) string {
	const most = 200
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
