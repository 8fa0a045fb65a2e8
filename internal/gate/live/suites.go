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

// small is what is hardest to compare: loops of nanoseconds to a few microseconds, which are up to
// a tenth faster or slower by where the linker puts them.
var small = suite{
	name: "small", about: "loops of 10 ns to 3 µs",
	families: []string{"Hash", "Sort", "Map", "Format", "Copy"}, sizes: 4, smallest: 8,
	work: `package live

import (
	"crypto/sha256"
	"fmt"
	"sort"
	"testing"
)

var (
	block  [1 << 12]byte
	table  = map[int]int{}
	buffer [1 << 12]byte
	total  int
)

func doHash(n int) { s := sha256.Sum256(block[:8*n]); total += int(s[0]) }

func doSort(n int) {
	v := make([]int, n)
	for i := range v {
		v[i] = (i * 7919) % n
	}
	sort.Ints(v)
	total += v[0]
}

func doMap(n int) {
	for i := range n {
		table[i]++
	}
}

func doFormat(n int) { total += len(fmt.Sprintf("%d %s %v", n, "text", 3.25)) }

func doCopy(n int) { total += copy(buffer[:32*n], block[:]) }
`,
}
