package runs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/reports/results"
)

// The means of eight runs must be within five standard errors and 4 % of Cobham's formula for
// priorities, which this test computes itself. The values of package theory must equal the formula.
// On one slot it also applies to M/D/1, because it holds for any M/G/1 queue.
func TestCobham(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const load, runs, unit = 0.7, 8, 0.01
	cases := []struct {
		workload string
		limit    int
		shares   []float64
		first    float64 // W₀, the mean time until a slot is free, in task times
	}{
		// E[S]·C/k: ρ for M/M/1; Erlang's C(4, 2.8) = 0.42867
		{"priorities:shares=1:2:3", 4, []float64{1. / 6, 2. / 6, 3. / 6}, erlangC4(4*load) / 4},
		{"priorities", 1, []float64{0.2, 0.8}, load},
		{"priorities", 4, []float64{0.2, 0.8}, erlangC4(4*load) / 4},
		{"priorities:shares=1:2:3", 1, []float64{1. / 6, 2. / 6, 3. / 6}, load},
		{"priorities:shares=1:1:2,time=10ms", 1, []float64{0.25, 0.25, 0.5}, load / 2},
	}
	for _, c := range cases {
		dir := t.TempDir() + "/out"
		clitest.Succeed(t, strings.Fields(fmt.Sprintf("run --clock virtual --quiet --out %s --count %d "+
			"--strategy priority --workload %s --limit %d --load %v", dir, runs, c.workload, c.limit,
			load))...)
		read, err := results.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		before := 0.0
		for i, share := range c.shares {
			upTo := before + load*share
			want := unit * c.first / ((1 - before) * (1 - upTo))
			before = upTo
			name := fmt.Sprintf("priority-%d-mean-wait-sec", len(c.shares)-1-i)
			var sum, squares float64
			for _, r := range read.Runs {
				theory, _ := r.Value("theory-" + name)
				if math.Abs(theory/want-1) > 1e-9 {
					t.Fatalf("%s, limit %d: theory-%s is %v, want %v", c.workload, c.limit, name,
						theory, want)
				}
				got, _ := r.Value(name)
				sum += got/want - 1
				squares += (got/want - 1) * (got/want - 1)
			}
			mean := sum / runs
			se := math.Sqrt((squares/runs - mean*mean) / (runs - 1))
			t.Logf("%s, limit %d: %s %+.1f %% ± %.1f %%", c.workload, c.limit, name, 100*mean, 100*se)
			if math.Abs(mean) > 5*se || se > 0.04 {
				t.Errorf("%s, limit %d: %s is off by %+.1f %%, with a standard error of %.1f %%",
					c.workload, c.limit, name, 100*mean, 100*se)
			}
			if len(read.Runs) != runs {
				t.Errorf("%d runs, want %d", len(read.Runs), runs)
			}
		}
	}
}

func erlangC4(a float64) float64 {
	all := a * a * a * a / 24 * 4 / (4 - a)
	return all / (1 + a + a*a/2 + a*a*a/6 + all)
}
