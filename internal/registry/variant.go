package registry

import (
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
)

// Parse parses a part of the set, written as name or name:key=value,….
func Parse[T fmt.Stringer](s *Set[T], text string) (param.Variant[T], error) {
	c, err := param.Parse(text)
	if err != nil {
		return param.Variant[T]{}, err
	}
	return Resolve(s, c)
}

// MustParse is Parse for constants. It panics on an error.
func MustParse[T fmt.Stringer](s *Set[T], text string) param.Variant[T] {
	v, err := Parse(s, text)
	if err != nil {
		panic(err)
	}
	return v
}

// Resolve looks up the part of a call and checks its parameters, including their combination.
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
