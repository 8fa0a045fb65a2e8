package sessions

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/internal/yamltree"
)

// MaxText limits the bytes of a file.
const MaxText = 1 << 20

// A Script is the session of a file, with the positions of its steps: file:line:column.
type Script struct {
	Session
	Where []string
}

var (
	topKeys  = []string{"name", "steps"}
	stepKeys = []string{"name", "method", "url", "headers", "body", "think", "check", "capture"}
)

// ReadScript parses the text of a file. Its error has a line for each problem, beginning with file
// and, if known, line.
func ReadScript(file string, text []byte) (*Script, error) {
	top, err := yamltree.Parse(file, text, "a file of steps")
	if err != nil {
		return nil, err
	}
	r := reader{file: file}
	s := &Script{}
	s.Name = nameOf(file)
	for key, node := range r.pairs(top, topKeys, "name: and steps:") {
		switch key {
		case "name":
			s.Name = r.text(key, node)
			r.complain(node, CheckName(s.Name))
		case "steps":
			r.steps(s, node)
		}
	}
	if len(r.wrong) == 0 && len(s.Steps) == 0 {
		r.complain(top, errors.New("there are no steps"))
	}
	if len(r.wrong) == 0 {
		r.complain(top, s.Validate())
	}
	if err := errors.Join(r.wrong...); err != nil {
		return nil, err
	}
	return s, nil
}

func nameOf(file string) string {
	base := filepath.Base(file)
	base = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
	base = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, base)
	if CheckName(base) != nil {
		return "session"
	}
	return base
}

type reader struct {
	file  string
	wrong []error
}

func (r *reader) complain(at ast.Node, err error) {
	if err == nil {
		return
	}
	said := text.OneLine(err.Error())
	r.wrong = append(r.wrong, yamltree.Wrong(r.file, at.GetToken(), "%s", said))
}

// pairs reports duplicate and unknown keys.
func (r *reader) pairs(node ast.Node, known []string, want string) iter.Seq2[string, ast.Node] {
	return func(yield func(string, ast.Node) bool) {
		m, ok := node.(*ast.MappingNode)
		if !ok {
			r.complain(node, fmt.Errorf("want %s", want))
			return
		}
		seen := map[string]bool{}
		for _, pair := range m.Values {
			key := pair.Key.GetToken().Value
			switch {
			case known != nil && !slices.Contains(known, key):
				r.complain(pair.Key, fmt.Errorf("unknown key %q (known: %s)", key,
					strings.Join(known, ", ")))
				continue
			case seen[key]:
				r.complain(pair.Key, fmt.Errorf("%s occurs twice", key))
				continue
			}
			seen[key] = true
			if !yield(key, pair.Value) {
				return
			}
		}
	}
}

func (r *reader) text(key string, node ast.Node) string {
	if literal, ok := node.(*ast.LiteralNode); ok {
		return literal.Value.Value
	}
	text, ok := yamltree.Scalar(node)
	if !ok {
		r.complain(node, fmt.Errorf("%s: want a text", key))
	}
	return text
}

func (r *reader) each(key string, node ast.Node, f func(text string) error) {
	nodes := []ast.Node{node}
	if list, ok := node.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	for _, n := range nodes {
		before := len(r.wrong)
		text := r.text(key, n)
		if len(r.wrong) > before {
			continue
		}
		if err := f(text); err != nil {
			r.complain(n, fmt.Errorf("%s: %w", key, err))
		}
	}
}

func (r *reader) steps(s *Script, node ast.Node) {
	list, ok := node.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		r.complain(node, errors.New(`steps: want a list, each step beginning with "- "`))
		return
	}
	for i, n := range list.Values {
		if i == MaxSteps {
			r.complain(n, fmt.Errorf("want up to %d steps", MaxSteps))
			return
		}
		s.Steps = append(s.Steps, r.step(s, n))
		s.Where = append(s.Where, yamltree.Place(r.file, n.GetToken()))
	}
}

func (r *reader) step(s *Script, node ast.Node) (st Step) {
	st.Name = fmt.Sprintf("step_%d", len(s.Steps)+1)
	st.Request.Header = http.Header{}
	for key, n := range r.pairs(node, stepKeys, "a step with url:") {
		switch key {
		case "name":
			st.Name = r.text(key, n)
			r.complain(n, CheckName(st.Name))
			for _, other := range s.Steps {
				if other.Name == st.Name {
					r.complain(n, fmt.Errorf("two steps are named %s", st.Name))
				}
			}
		case "method":
			st.Request.Method = r.text(key, n)
		case "url":
			st.Request.URL = r.text(key, n)
		case "headers":
			for name, value := range r.pairs(n, nil, "headers: {Name: value}") {
				r.each("headers: "+name, value, func(text string) error {
					st.Request.Header.Add(name, text)
					return nil
				})
			}
		case "body":
			st.Request.Body = []byte(r.text(key, n))
		case "think":
			r.each(key, n, func(text string) (err error) {
				st.Think, err = ParseThink(text)
				return err
			})
		case "check":
			r.each(key, n, func(text string) error {
				c, err := checks.Parse(text)
				st.Checks = append(st.Checks, c)
				return err
			})
		case "capture":
			r.each(key, n, func(text string) error {
				c, err := ParseCapture(text)
				st.Captures = append(st.Captures, c)
				return err
			})
		}
	}
	if st.Request.Method == "" {
		st.Request.Method = http.MethodGet
		if len(st.Request.Body) > 0 {
			st.Request.Method = http.MethodPost
		}
	}
	if _, ok := node.(*ast.MappingNode); ok && st.Request.URL == "" {
		r.complain(node, errors.New("the step has no url"))
	}
	return st
}
