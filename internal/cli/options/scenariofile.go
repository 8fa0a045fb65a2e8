package options

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/internal/yamltree"
)

const (
	maxScenarioFile = 1 << 20
	maxElements     = 1000
)

type written struct {
	Words
	where string // file:line:column of its beginning
}

// readScenarioFile reads a YAML list of matrices. The keys are names of flags, of which known are
// allowed. A value is that of the flag, or a list of values:
//
//   - strategy: [worker_pool, semaphore]
//     workload: hyperexp:mean=10ms,c2=16
func readScenarioFile(path string, known []string) ([]written, error) {
	data, err := files.ReadFile(path, maxScenarioFile)
	if err != nil {
		return nil, fmt.Errorf("--file: %w", err)
	}
	return parseScenarioFile(path, data, known)
}

// parseScenarioFile walks the syntax tree instead of decoding, so each error has the line and
// column of its word.
func parseScenarioFile(name string, data []byte, known []string) ([]written, error) {
	body, err := yamltree.Parse(name, data, "a list of scenarios")
	if err != nil {
		return nil, err
	}
	list, ok := body.(*ast.SequenceNode)
	if !ok {
		return nil, yamltree.Wrong(name, body.GetToken(),
			`want a list of scenarios, each beginning with "- "`)
	}
	if n := len(list.Values); n == 0 {
		return nil, yamltree.Wrong(name, list.GetToken(), "the list of scenarios is empty")
	} else if n > maxElements {
		return nil, yamltree.Wrong(name, list.Values[maxElements].GetToken(),
			"the list has %d elements; want at most %d", n, maxElements)
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

func readMatrix(name string, node ast.Node, known []string) (written, error) {
	w := written{Words: Words{}, where: yamltree.Place(name, node.GetToken())}
	pairs, ok := node.(*ast.MappingNode)
	if !ok || len(pairs.Values) == 0 {
		return w, fmt.Errorf("%s: want keys such as strategy: semaphore, got %q", w.where,
			yamltree.OneLine(node.String()))
	}
	w.where = yamltree.Place(name, pairs.Values[0].Key.GetToken())
	var complaints []error
	for _, pair := range pairs.Values {
		key := pair.Key.GetToken()
		if !slices.Contains(known, key.Value) {
			complaints = append(complaints, yamltree.Wrong(name, key, "unknown key %q %s",
				key.Value, text.Known(key.Value, known)))
			continue
		}
		values, err := readValues(name, key.Value, pair.Value)
		complaints = append(complaints, err)
		w.Words[key.Value] = values
	}
	return w, errors.Join(complaints...)
}

func readValues(name, key string, node ast.Node) ([]Word, error) {
	nodes := []ast.Node{node}
	if list, ok := node.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	if len(nodes) == 0 {
		return nil, yamltree.Wrong(name, node.GetToken(), "%s: the list is empty", key)
	}
	var values []Word
	for _, n := range nodes {
		where := fmt.Sprintf("%s: %s", yamltree.Place(name, n.GetToken()), key)
		text, ok := yamltree.Scalar(n)
		if !ok {
			return nil, fmt.Errorf("%s: want a value or a list of values, got %s", where,
				strings.ToLower(n.Type().String()))
		}
		if len(nodes) > 1 && strings.Contains(text, "=") && !strings.ContainsAny(text, ": ") {
			return nil, fmt.Errorf("%s: %q is not a name: YAML splits a [list] at every comma, "+
				"so quote a name with parameters", where, text)
		}
		values = append(values, Word{text, where})
	}
	return values, nil
}
