package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A document is the tree that is written in it: mappings, lists and values. A library that knows
// all of OpenAPI compiles the schemas of schemas whenever a process starts, which took a third of
// the CPU time of `poolbench version`.
type document struct {
	root  any
	wrong error // the first thing in it that is not what it should be
}

type mapping = map[string]any

// parse reads JSON as JSON: what YAML makes of tabs and of halves of a character is something else.
func parse(text []byte) (*document, error) {
	var d document
	if numbers := json.NewDecoder(bytes.NewReader(text)); json.Valid(text) {
		numbers.UseNumber() // an identifier may have more digits than a float
		return &d, numbers.Decode(&d.root)
	}
	var tree yaml.Node
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	plain(&tree)
	return &d, tree.Decode(&d.root)
}

// plain has dates as they are typed, and whatever stands before a colon as a text: in JSON there is
// neither.
func plain(n *yaml.Node) {
	if n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind == yaml.ScalarNode &&
			child.ShortTag() != "!!merge" {
			child.Tag = "!!str"
		}
		plain(child)
	}
}

// follow is what is given, or what a reference there leads to. References may lead to others, on
// their way as well, and in a circle.
func (d *document) follow(given any) any {
	steps := 100
	return d.lead(given, &steps)
}

func (d *document) lead(given any, steps *int) any {
	for {
		m, _ := given.(mapping)
		to, refers := m["$ref"].(string)
		if !refers {
			return given
		}
		path, here := strings.CutPrefix(to, "#")
		if !here {
			d.complain("refers to another document, which is not read: %q", to)
			return nil
		}
		if *steps--; *steps < 0 {
			d.complain("%q refers to itself", to)
			return nil
		}
		var err error
		if given, err = d.at(path, steps); err != nil {
			d.complain("refers to %q: %v", to, err)
			return nil
		}
	}
}

// at is what a JSON pointer points to, as it stands in a URL.
func (d *document) at(pointer string, steps *int) (v any, err error) {
	if pointer, err = url.PathUnescape(pointer); err != nil {
		return nil, err
	}
	v = d.root
	for _, name := range strings.Split(pointer, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		var found bool
		switch of := d.lead(v, steps).(type) {
		case mapping:
			v, found = of[name]
		case []any:
			i, err := strconv.ParseUint(name, 10, 31)
			if found = err == nil && i < uint64(len(of)); found {
				v = of[i]
			}
		}
		if !found {
			return nil, fmt.Errorf("%q is not there", name)
		}
	}
	return v, nil
}

func (d *document) complain(format string, args ...any) {
	if d.wrong == nil {
		d.wrong = fmt.Errorf(format, args...)
	}
}

// complaint is the first, which is then told.
func (d *document) complaint() error {
	err := d.wrong
	d.wrong = nil
	return err
}

func (d *document) mapping(name string, given any) mapping {
	return as[mapping](d, name, given, "a mapping")
}

func (d *document) list(name string, given any) []any {
	return as[[]any](d, name, given, "a list")
}

func (d *document) is(name string, given any) bool {
	return as[bool](d, name, given, "true or false")
}

// word is a text, or a value that stands for one: of ports and versions some are numbers.
func (d *document) word(name string, given any) string {
	switch given = d.follow(given); given.(type) {
	case mapping, []any:
		return as[string](d, name, given, "a word")
	}
	return text(given)
}

// as is what is given under that name, of that kind. Nothing given is none.
func as[T any](d *document, name string, given any, want string) (v T) {
	given = d.follow(given)
	v, ok := given.(T)
	if !ok && given != nil {
		d.complain("%s: want %s, got %.40q", name, want, text(given))
	}
	return v
}

// text is a value as it stands in a URL or a header.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// inOneLine is an error of a library.
func inOneLine(err error) error {
	return errors.New(strings.Join(strings.Fields(err.Error()), " "))
}
