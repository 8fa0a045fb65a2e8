package results_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

// A repeated name and seed identify a copy only under the virtual clock and in the same
// configuration. Findings must still belong to the same runs.
func TestCopies(t *testing.T) {
	r := MustRead(t, resultstest.Seeded("1 virtual 3", "2 virtual 4", "1 virtual 3", "1 real 3",
		"1 real 3", "2 virtual 5"))
	if len(r.Runs) != 4 || r.Partial != "" || !slices.Equal(r.Findings[0].Runs, []int{0, 1, 2, 3}) {
		t.Errorf("%d runs, %q, a finding of %v", len(r.Runs), r.Partial, r.Findings[0].Runs)
	}
	if got := strings.Join(r.Warnings, "\n"); len(r.Warnings) != 2 ||
		!strings.Contains(got, "of an earlier run is a copy") ||
		!strings.Contains(got, "contradict each other, and the first counts") {
		t.Errorf("warnings: %s", got)
	}
	config := "\ncommit: a\n\n"
	other := strings.Replace(resultstest.Seeded("1 virtual 3", "1 virtual 3"), "# seed 1\n",
		config+"# seed 1\n", 1)
	other = strings.Replace(other, "sec\n# seed 1\n",
		"sec\n"+strings.Replace(config, "a", "b", 1)+"# seed 1\n", 1)
	if r := MustRead(t, other); len(r.Runs) != 2 || len(r.Warnings) > 0 {
		t.Errorf("of two commits: %d runs, %q", len(r.Runs), r.Warnings)
	}
	// other programs' files have no seeds in such lines
	if r := MustRead(t, strings.ReplaceAll(resultstest.Seeded("1 virtual 3", "1 virtual 3"),
		"# poolbench", "# somebody")); len(r.Runs) != 2 {
		t.Errorf("a foreign file: %d runs", len(r.Runs))
	}
}

// Under the virtual clock, a Go benchmark reports its seed as a metric.
func TestCopiesOfBenchmarks(t *testing.T) {
	const lines = `goos: linux
pkg: example.com/mine
BenchmarkMine-8   300   4.000 p99-response-ns   0 virtual-seed
BenchmarkMine-8   300   5.000 p99-response-ns   1.000 virtual-seed
BenchmarkMine-8   300   5.000 p99-response-ns   1.000 virtual-seed
BenchmarkMine-8   300   7.000 p99-response-ns   9007199254740991 virtual-seed
BenchmarkMine-4   300   4.000 p99-response-ns   0 virtual-seed
BenchmarkReal-8   300   4.000 p99-response-ns
BenchmarkReal-8   300   4.000 p99-response-ns
PASS
`
	r := MustRead(t, lines)
	var seeds []string
	for _, run := range r.Runs {
		seeds = append(seeds, run.Seed)
	}
	if want := []string{"0", "1", "9007199254740991", "0", "", ""}; !slices.Equal(seeds, want) {
		t.Errorf("seeds %q, want %q", seeds, want)
	}
	if !slices.Equal(r.Metrics, []string{"p99-response-sec"}) {
		t.Errorf("metrics %q", r.Metrics)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], ":5: ") ||
		!strings.Contains(r.Warnings[0], "of an earlier run is a copy") {
		t.Errorf("warnings: %q", r.Warnings)
	}
	if r := MustRead(t, strings.ReplaceAll(lines, "virtual-seed", "seeds")); len(r.Runs) != 7 {
		t.Errorf("a metric of another name leaves %d runs", len(r.Runs))
	}
}
