package main

// usual is what a module of the usual kind measures: 1 to 20 µs of work in the standard library,
// most of it with allocations.
var usual = suite{
	name: "usual", about: "work of 1 to 20 µs",
	families: []string{"Hash", "Sort", "Words", "Format", "Encode", "Decode", "Match", "Compress",
		"Parse", "Tree"}, sizes: 2, smallest: 1,
	work: `package live

import (
	"compress/flate"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

type order struct {
	ID    int
	Name  string
	Price float64
	Tags  []string
}

var (
	block    [4096]byte
	text     = strings.Repeat("the quick brown fox jumps over the lazy dog 42 times, or 7; ", 40)
	dates    = strings.Repeat("on 2024-02-29 and 2023-11-05 it rained; ", 10)
	pattern  = regexp.MustCompile("([0-9]{4})-([0-9]{2})-([0-9]{2})")
	numbers  = make([]int, 512)
	fields   = make([]string, 200)
	orders   = make([]order, 16)
	encoded  [2][]byte
	deflater *flate.Writer
	total    int
)

func init() {
	for i := range numbers {
		numbers[i] = i * 7919 % 509
	}
	for i := range fields {
		fields[i] = strconv.FormatFloat(float64(i)*1.37, 'g', -1, 64)
	}
	for i := range orders {
		orders[i] = order{i, "order " + strconv.Itoa(i), 9.95 * float64(i), []string{"new", "paid"}}
	}
	for i := range encoded {
		encoded[i], _ = json.Marshal(orders[:8<<i])
	}
	deflater, _ = flate.NewWriter(io.Discard, flate.BestSpeed)
}

func doHash(n int) { s := sha256.Sum256(block[:2048*n]); total += int(s[0]) }

func doSort(n int) {
	v := slices.Clone(numbers[:256*n])
	slices.Sort(v)
	total += v[0]
}

func doWords(n int) {
	count := map[string]int{}
	for _, word := range strings.Fields(text[:1024*n]) {
		count[word]++
	}
	total += len(count)
}

func doFormat(n int) {
	for i := range 20 * n {
		fmt.Fprintf(io.Discard, "%d %s %.2f", i, "text", 3.25)
	}
}

func doEncode(n int) { b, _ := json.Marshal(orders[:8*n]); total += len(b) }

func doDecode(n int) {
	var v []order
	if err := json.Unmarshal(encoded[n-1], &v); err != nil {
		panic(err)
	}
	total += len(v)
}

func doMatch(n int) { total += len(pattern.FindAllStringIndex(dates[:200*n], -1)) }

func doCompress(n int) {
	deflater.Reset(io.Discard)
	io.WriteString(deflater, text[:1024*n])
	deflater.Close()
}

func doParse(n int) {
	for _, f := range fields[:100*n] {
		x, _ := strconv.ParseFloat(f, 64)
		total += int(x)
	}
}

type node struct {
	left, right *node
	key         int
}

func (n *node) insert(key int) *node {
	switch {
	case n == nil:
		return &node{key: key}
	case key < n.key:
		n.left = n.left.insert(key)
	default:
		n.right = n.right.insert(key)
	}
	return n
}

func doTree(n int) {
	var root *node
	for _, key := range numbers[:100*n] {
		root = root.insert(key)
	}
	total += root.key
}
`,
}
