package registry

import (
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
)

// A part is written as name or name:key=value,….
func Parse[T fmt.Stringer](s *Set[T], text string) (param.Variant[T], error) {
	c, err := param.Parse(text)
	if err != nil {
		return param.Variant[T]{}, err
	}
	return Resolve(s, c)
}

func MustParse[T fmt.Stringer](s *Set[T], text string) param.Variant[T] {
	v, err := Parse(s, text)
	if err != nil {
		panic(err)
	}
	return v
}

// Resolve also checks combinations of parameters.
func Resolve[T fmt.Stringer](s *Set[T], c param.Call) (param.Variant[T], error) {
	p, err := s.Lookup(c.Name)
	if err != nil {
		return param.Variant[T]{}, err
	}
	values, err := param.Resolve(s.Keys(p), c.Args)
	if err == nil && s.Check != nil {
		err = s.Check(p, values)
	}
	if err != nil {
		return param.Variant[T]{}, fmt.Errorf("%s %s: %w", s.Kind, c.Name, err)
	}
	return param.Variant[T]{Spec: p, Values: values}, nil
}
