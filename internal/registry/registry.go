// Package registry keeps the named variants of one kind (strategies, workloads, targets, arrivals) in one append-only, sorted set.
//
// Each kind declares one Set in its own package and every variant's file adds itself in a line; nothing else in the module
// lists the variants of a kind. A Set is filled by package initialisation alone and is read-only afterwards, so reading it
// needs no lock.
package registry

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// lowerSnake is the spelling of a variant's name. A dash is refused with cause: the Go benchmark format reads a trailing
// "-8" of a benchmark's name as GOMAXPROCS.
var lowerSnake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// A Set holds the variants of one kind by name. The zero value with Kind set is ready for use.
type Set[T any] struct {
	Kind     string // singular noun for messages: "strategy"
	variants []variant[T]
}

type variant[T any] struct {
	name  string
	value T
}

// Add registers v under name and returns v, so that a variant's file can register in a package-level declaration.
// It panics on a name that is not lower_snake and on a second variant of the same name: both are mistakes in the program.
func (s *Set[T]) Add(name string, v T) T {
	if !lowerSnake.MatchString(name) {
		panic(fmt.Sprintf("registry: %s name %q is not lower_snake", s.Kind, name))
	}
	at, found := slices.BinarySearchFunc(s.variants, name, func(v variant[T], n string) int { return strings.Compare(v.name, n) })
	if found {
		panic(fmt.Sprintf("registry: two variants of %s are named %q", s.Kind, name))
	}
	s.variants = slices.Insert(s.variants, at, variant[T]{name, v})
	return v
}

// Lookup returns the variant of that name; the error for an unknown name lists the known ones.
func (s *Set[T]) Lookup(name string) (T, error) {
	for _, v := range s.variants {
		if v.name == name {
			return v.value, nil
		}
	}
	var zero T
	return zero, fmt.Errorf("unknown %s %q (known: %s)", s.Kind, name, strings.Join(s.Names(), ", "))
}

// All returns every variant in the order of their names; the slice is the caller's.
func (s *Set[T]) All() []T {
	all := make([]T, len(s.variants))
	for i, v := range s.variants {
		all[i] = v.value
	}
	return all
}

// Names returns the sorted names.
func (s *Set[T]) Names() []string {
	names := make([]string, len(s.variants))
	for i, v := range s.variants {
		names[i] = v.name
	}
	return names
}
