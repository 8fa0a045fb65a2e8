package measure_test

import (
	_ "embed"
	"fmt"
)

//go:embed testdata/usual.go.txt
var usualWork string

//go:embed testdata/small.go.txt
var smallWork string

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

// usual is what a module of the usual kind measures: 1 to 20 µs of work in the standard library,
// most of it with allocations.
var usual = suite{
	name: "usual", about: "work of 1 to 20 µs",
	families: []string{"Hash", "Sort", "Words", "Format", "Encode", "Decode", "Match", "Compress",
		"Parse", "Tree"}, sizes: 2, smallest: 1,
	work: usualWork,
}

// small is what is hardest to compare: loops of nanoseconds to a few microseconds, which are up to
// a tenth faster or slower by where the linker puts them.
var small = suite{
	name: "small", about: "loops of 10 ns to 3 µs",
	families: []string{"Hash", "Sort", "Map", "Format", "Copy"}, sizes: 4, smallest: 8,
	work: smallWork,
}
