package main

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
