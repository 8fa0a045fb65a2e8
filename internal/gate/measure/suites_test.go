package measure_test

import (
	_ "embed"
	"fmt"
)

//go:embed testdata/usual.go.txt
var usualWork string

//go:embed testdata/small.go.txt
var smallWork string

// suite is a set of twenty benchmarks: functions do<Family>(size) with sizes that double.
type suite struct {
	name     string
	about    string
	families []string
	sizes    int // number of sizes per family
	smallest int
	work     string
}

var suites = []suite{usual, small}

func (s *suite) String() string { return s.name }

func (s *suite) Set(name string) error {
	for _, other := range suites {
		if other.name == name {
			*s = other
			return nil
		}
	}
	return fmt.Errorf("want %s or %s", usual.name, small.name)
}

// usual is typical work of 1 to 20 µs, mostly with allocations.
var usual = suite{
	name: "usual", about: "work of 1 to 20 µs",
	families: []string{"Hash", "Sort", "Words", "Format", "Encode", "Decode", "Match", "Compress",
		"Parse", "Tree"}, sizes: 2, smallest: 1,
	work: usualWork,
}

// small is work of ns to a few µs, whose time varies by up to 10 % with its address.
var small = suite{
	name: "small", about: "loops of 10 ns to 3 µs",
	families: []string{"Hash", "Sort", "Map", "Format", "Copy"}, sizes: 4, smallest: 8,
	work: smallWork,
}
