package calibration_test

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench"
)

// If tasks overtake each other, the reported number of tasks for a p99 within ±5 % must be right to
// a factor of two in the median run. In 3 (codel_lifo) to 35 (earliest_deadline) of 100 runs it is
// not, because clusters of long responses are rare. variance is the relative variance of the p99
// times the number of tasks, from 100 runs of 36,000 tasks. No constant was fitted to these
// parameters. A known exception is shortest_first on two slots at load 0.85, with 0.4 times the
// right number.
func TestNeededInAnyOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const seeds = 25
	for _, c := range []struct {
		strategy, workload string
		load               float64
		limit              int
		variance           float64
	}{
		{"codel_lifo:interval=50ms", "exponential", 1, 8, 5.0},
		{"earliest_deadline", "deadlines:slack=exp(20ms)", 0.85, 2, 550},
		{"priority", "priorities:shares=1:2:3", 0.85, 2, 593},
		{"fair_share", "tenants:n=3", 0.88, 8, 638},
		{"shortest_first", "hyperexp:c2=2", 0.92, 8, 183},
	} {
		var ratios []float64
		for seed := range seeds {
			s, err := bench.Encoded{Strategy: c.strategy, Workload: c.workload, Target: "none",
				Arrival: "poisson", Limit: c.limit, Load: c.load, Tasks: 40_000, Warmup: 0.1,
				Clock: "virtual", Seed: uint64(seed)*7919 + 1<<30}.Scenario()
			if err != nil {
				t.Fatal(err)
			}
			r, err := bench.Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			needed, _ := r.Metric("needed-tasks")
			ratios = append(ratios, needed/(c.variance*1.96*1.96/(0.05*0.05)))
		}
		slices.Sort(ratios)
		t.Logf("%s: %.2f", c.strategy, ratios)
		if median := ratios[len(ratios)/2]; median < 0.5 || median > 2 {
			t.Errorf("%s at load %v: %.2f times what seeds take", c.strategy, c.load, median)
		}
	}
}
