package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/text"
)

// A Set contains the parts of one kind, first those of its own package in the order of their names,
// then those of other packages. The zero value with Kind set is ready to use.
type Set[T any] struct {
	Kind string // singular noun for messages: "strategy"
	// Keys returns the parameters of a part. It may be nil.
	Keys func(T) []param.Key
	// Check returns an error for values that are invalid together. It may be nil.
	Check func(T, param.Values) error

	own, others []part[T] // each in order of names
}

type part[T any] struct {
	name  string
	value T
}

// Add adds a part of the kind's own package and returns it, for package-level declarations. It
// panics if the name is not lower_snake or is already used.
func (s *Set[T]) Add(name string, v T) T { return s.add(&s.own, part[T]{name, v}) }

func (s *Set[T]) AddOther(name string, v T) T { return s.add(&s.others, part[T]{name, v}) }

func (s *Set[T]) add(to *[]part[T], p part[T]) T {
	// A dash is invalid, because Go's benchmark format interprets a trailing "-8" as GOMAXPROCS.
	if !text.IsLowerSnake(p.name) {
		panic(fmt.Sprintf("%s name %q is not lower_snake", s.Kind, p.name))
	}
	if s.Has(p.name) {
		panic(fmt.Sprintf("two %s parts are named %q", s.Kind, p.name))
	}
	i, _ := slices.BinarySearchFunc(*to, p.name, func(a part[T], name string) int {
		return strings.Compare(a.name, name)
	})
	*to = slices.Insert(*to, i, p)
	return p.value
}

func (s *Set[T]) parts() []part[T] { return slices.Concat(s.own, s.others) }

func (s *Set[T]) find(name string) *T {
	for _, parts := range [][]part[T]{s.own, s.others} {
		i := slices.IndexFunc(parts, func(p part[T]) bool { return p.name == name })
		if i >= 0 {
			return &parts[i].value
		}
	}
	return nil
}

func (s *Set[T]) Has(name string) bool { return s.find(name) != nil }

func (s *Set[T]) IsOwn(name string) bool {
	return slices.ContainsFunc(s.own, func(p part[T]) bool { return p.name == name })
}

func (s *Set[T]) Lookup(name string) (T, error) {
	if found := s.find(name); found != nil {
		return *found, nil
	}
	var zero T
	return zero, fmt.Errorf("unknown %s %q %s", s.Kind, name, text.Known(name, s.Names()))
}

func (s *Set[T]) All() []T {
	var all []T
	for _, p := range s.parts() {
		all = append(all, p.value)
	}
	return all
}

func (s *Set[T]) Names() []string {
	var names []string
	for _, p := range s.parts() {
		names = append(names, p.name)
	}
	return names
}
