package main

import "fmt"

// A suite is a set of twenty benchmarks: kinds of work, each in sizes that double. Every kind is a
// function do<Family>(size).
type suite struct {
	name     string
	about    string // of what kind the work is, for the report
	families []string
	sizes    int // of each family
	smallest int
	work     string // the source of the functions
}

var suites = []suite{usual, small}

func (s *suite) String() string { return s.name }

// Set makes a suite the value of a flag.
func (s *suite) Set(name string) error {
	for _, other := range suites {
		if other.name == name {
			*s = other
			return nil
		}
	}
	return fmt.Errorf("want %s or %s", usual.name, small.name)
}
