package studies

import (
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// load sweeps the load at exponential task times, where theory knows every answer: the points have to lie on its lines.
//
// The claim holds where all strategies that make a task wait for a place have the same p99 to the nanosecond at every load below 1, the same
// work given. It depends where they differ at some loads, and does not hold where they differ at all.
var _ = register(Study{
	Name:     "load",
	Question: "how do response and throughput change as the load nears the capacity?",
	Claim:    "the way in which a limit is written (workers, a semaphore, errgroup.SetLimit) makes no difference to how long tasks wait for a place",
	Count:    [3]int{2, 3, 10},
	Cells: func(size Size) []bench.Scenario {
		return loadSweep(size, familiar())
	},
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		return loadSweep(size, []strategies.Variant{v}), nil
	},
	Judge: judgeLoad,
})

// familiar are the strategies that a newcomer has to choose from first: nothing, three ways to wait, and shedding.
func familiar() []strategies.Variant {
	return strategy("unbounded", "worker_pool", "semaphore", "errgroup_limit", "bounded_queue_shed")
}

// waiting are those of them that make a task wait for a place.
var waiting = []string{"worker_pool", "semaphore", "errgroup_limit"}

var sweptLoads = []float64{0.3, 0.5, 0.7, 0.8, 0.9, 1.1}

func loadSweep(size Size, of []strategies.Variant) []bench.Scenario {
	return cross(bench.Matrix{
		Strategies: of,
		Workloads:  workload("exponential:mean=10ms"),
		Limits:     []int{limit},
		Loads:      sweptLoads,
		Stop:       bench.Stop{Tasks: [...]int{50_000, 120_000, 1_000_000}[size], Warmup: 0.1},
		Seed:       1,
		Clock:      bench.Virtual,
	})
}

func judgeLoad(m *measured) Finding {
	cells := map[string][]bench.Scenario{} // by strategy, in the order of the loads
	for _, sc := range loadSweep(Quick, familiar()) {
		name := sc.Strategy.String()
		cells[name] = append(cells[name], sc)
	}
	alike, apart, most := 0, 0, 0.0
	for i, load := range sweptLoads {
		if load >= 1 {
			continue // how long a queue that only grows is says how long the run was
		}
		first := m.values(cells[waiting[0]][i], "p99-response-sec")
		for _, other := range waiting[1:] {
			ratios := m.each([]bench.Scenario{cells[other][i], cells[waiting[0]][i]}, func(value func(int, string) float64) float64 {
				return value(0, "p99-response-sec") / value(1, "p99-response-sec")
			})
			if len(ratios) == 0 || len(ratios) != len(first) {
				return undecided("%s or %s was not measured at load %v", other, waiting[0], load)
			}
			for _, r := range ratios {
				if most = max(most, math.Abs(r-1)); r == 1 {
					alike++
				} else {
					apart++
				}
			}
		}
	}
	names := strings.Join(waiting, ", ")
	var f Finding
	switch {
	case apart == 0:
		f = found(Holds, "%s: the same p99 to the nanosecond in %d of %d comparisons at loads below 1", names, alike, alike)
	case alike == 0:
		f = found(DoesNotHold, "%s differ at every load, by up to %s in their p99", names, percent(most))
	default:
		f = found(Depends, "on the load: %s differ in %d of %d comparisons, by up to %s in their p99", names, apart, alike+apart, percent(most))
	}
	low, high := cells[waiting[0]][0], cells[waiting[0]][4]
	f.add("from load %v to %v, the p99 of those that wait grows from %s to %s; throughput stays what arrives", sweptLoads[0], sweptLoads[4],
		milliseconds(m.mean(low, "p99-response-sec")), milliseconds(m.mean(high, "p99-response-sec")))
	for i, load := range sweptLoads[4:] {
		shed := cells["bounded_queue_shed"][4+i]
		f.add("at load %v shedding keeps the p99 at %s, and refuses %s of the tasks", load, milliseconds(m.mean(shed, "p99-response-sec")), percent(m.mean(shed, "shed/op").mid))
	}
	return f
}

// milliseconds writes an interval in seconds: 12.7 ms (11.9 to 13.5).
func milliseconds(in interval) string {
	in = in.times(1e3)
	if math.IsNaN(in.lo) {
		return short(in.mid) + " ms"
	}
	return short(in.mid) + " ms (" + short(in.lo) + " to " + short(in.hi) + ")"
}
