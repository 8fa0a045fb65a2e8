package reports

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// largeResults are 200 benchmarks × runs with the five metrics of a benchmark of go test and more: two of times, without
// ties; three of counts, which are nothing but ties.
func largeResults(seed uint64, runs int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("goos: linux\ngoarch: amd64\npkg: example.org/large\ncpu: Example\n")
	for range runs {
		for i := range 200 {
			ns := float64(1000+10*i) * math.Exp(0.05*rng.NormFloat64())
			fmt.Fprintf(&b, "BenchmarkLarge/size=%d/kind=%d-8 1000 %.2f ns/op %.3f MB/s %d B/op %d allocs/op %d shed/op\n",
				i, i%7, ns, 1e6/ns, 1024+rng.IntN(64), 10+rng.IntN(3), rng.IntN(2))
		}
	}
	return b.String()
}

// BenchmarkCompareLarge reads and compares two files of 200 benchmarks × 40 runs, or × 40 and × 39 or × 25, where ties take our own
// exact test.
func BenchmarkCompareLarge(b *testing.B) {
	for _, runs := range [][2]int{{40, 40}, {40, 39}, {25, 25}} {
		old, new := largeResults(1, runs[0]), largeResults(2, runs[1])
		b.Run(fmt.Sprintf("runs=%dx%d", runs[0], runs[1]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x, err := Read(strings.NewReader(old), "old")
				if err != nil {
					b.Fatal(err)
				}
				y, err := Read(strings.NewReader(new), "new")
				if err != nil {
					b.Fatal(err)
				}
				c, err := Compare(x, y, CompareOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if err := WriteText(io.Discard, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
