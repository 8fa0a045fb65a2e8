package compare

import (
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/results"

	"github.com/poolbench/poolbench/internal/machine/race"
)

var large = flag.String("large", "",
	"write results as large as those of BenchmarkCompareLarge to this directory")

// largeResults returns ten metrics for each run: six times and rates almost without ties, and four
// counts with many ties.
func largeResults(seed uint64, benchmarks, runs int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("goos: linux\ngoarch: amd64\npkg: example.org/large\ncpu: Example\n")
	for range runs {
		for i := range benchmarks {
			ns := float64(1000+10*i) * math.Exp(0.05*rng.NormFloat64())
			fmt.Fprintf(&b, "BenchmarkLarge/size=%d/kind=%d-8 1000 %.2f ns/op %.3f MB/s %d B/op "+
				"%d allocs/op %d shed/op %.3f p50-ns %.3f p99-ns %.3f p99.9-ns %d errors/op %.4f "+
				"load\n",
				i, i%7, ns, 1e6/ns, 1024+rng.IntN(64), 10+rng.IntN(3), rng.IntN(2),
				ns*(0.9+0.2*rng.Float64()), ns*(2+rng.Float64()), ns*(4+2*rng.Float64()),
				rng.IntN(5), 0.5+0.4*rng.Float64())
		}
	}
	return b.String()
}

// BenchmarkCompareLarge compares two files of 200 benchmarks × 40 runs × 10 metrics. With 39 or 25
// runs in the second file, ties need our own exact test. With 100 runs, reading dominates. To
// compare with benchstat by CPU time and wall time:
//
//	go test ./reports/compare -run TestLargeResults -large /tmp/large
//	go build -o /tmp/large ./cmd/poolbench golang.org/x/perf/cmd/benchstat && cd /tmp/large
//	for i in 1 2 3 4 5; do for c in "./poolbench compare" ./benchstat; do echo $c; bash -c "time $c 40.txt 40-new.txt" >/dev/null; done; done
func BenchmarkCompareLarge(b *testing.B) {
	for _, runs := range [][2]int{{40, 40}, {40, 39}, {25, 25}, {100, 100}} {
		old, new := largeResults(1, 200, runs[0]), largeResults(2, 200, runs[1])
		b.Run(fmt.Sprintf("runs=%dx%d", runs[0], runs[1]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x, err := results.Read(strings.NewReader(old), "old")
				if err != nil {
					b.Fatal(err)
				}
				y, err := results.Read(strings.NewReader(new), "new")
				if err != nil {
					b.Fatal(err)
				}
				c, err := Two(x, y, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := WriteText(io.Discard, c, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A comparison must allocate about one object per value. Computations per unit, and the
// distribution of U, must not be repeated for each value.
func TestLargeResults(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	if *large != "" {
		for i, name := range []string{"40.txt", "40-new.txt"} {
			write(t, filepath.Join(*large, name), largeResults(uint64(1+i), 200, 40))
		}
		return
	}
	var sides [2]*results.Results
	for i := range sides {
		var err error
		if sides[i], err = results.Read(strings.NewReader(largeResults(uint64(1+i), 5, 40)),
			fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	const values = 2 * 5 * 40 * 10
	if n := testing.AllocsPerRun(1,
		func() { mustCompare(t, sides[0], sides[1], Options{}) }); n > 1.1*values {
		t.Errorf("%v objects for %d values", n, values)
	}
}
