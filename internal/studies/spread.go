package studies

import (
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// spread holds load and mean fixed and lets the task times spread: C² = 0, 1, 4, 16 and 64.
//
// The claim holds where the pool completes at least 5 % fewer tasks a second at the widest spread than with tasks of one length, and does
// not hold below: what throughput there is, the arrivals make. A run counts until its last task has ended, so that one of few tasks loses a
// percent or two to the queue that it ends with, which is no throughput lost. What spread does to the response is said beside.
var _ = register(Study{
	Name:     "spread",
	Question: "what does variance of the task times cost, at the same load and the same mean?",
	Claim:    "task times that vary more lower the throughput of a pool",
	Count:    [3]int{2, 3, 10},
	Cells:    func(size Size) []bench.Scenario { return spreadSweep(size, familiar()) },
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		return spreadSweep(size, []strategies.Variant{v}), nil
	},
	Judge: judgeSpread,
})

var spreadWork = []string{"constant:mean=10ms", "exponential:mean=10ms", "hyperexp:mean=10ms,c2=4", "hyperexp:mean=10ms,c2=16", "hyperexp:mean=10ms,c2=64"}

const spreadLoad = 0.75

func spreadSweep(size Size, of []strategies.Variant) []bench.Scenario {
	return cross(bench.Matrix{
		Strategies: of,
		Workloads:  workload(spreadWork...),
		Limits:     []int{limit},
		Loads:      []float64{spreadLoad},
		Stop:       bench.Stop{Tasks: [...]int{40_000, 100_000, 1_000_000}[size], Warmup: 0.1},
		Seed:       1,
		Clock:      bench.Virtual,
	})
}

func judgeSpread(m *measured) Finding {
	cells := spreadSweep(Quick, strategy("worker_pool"))
	one, widest := cells[0], cells[len(cells)-1]
	// An open loop completes what arrives; what arrived differs by chance, and is taken out.
	share := func(sc bench.Scenario) interval {
		return ofMean(m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 { return value(0, "ops/s") / value(0, "offered-ops/s") }))
	}
	from, to := share(one), share(widest)
	if math.IsNaN(from.mid) || math.IsNaN(to.mid) {
		return undecided("worker_pool was not measured at the smallest and at the widest spread")
	}
	lost := 1 - to.mid/from.mid
	f := found(DoesNotHold, "at load %v worker_pool completes %s of what arrives at C² = 64, and %s at C² = 0", spreadLoad, percent(to.mid), percent(from.mid))
	if lost >= 0.05 {
		f.Verdict = Holds
	}
	f.add("it is the response that pays: the p99 grows from %s at C² = 0 to %s at C² = 64, the mean wait from %s to %s",
		milliseconds(m.mean(one, "p99-response-sec")), milliseconds(m.mean(widest, "p99-response-sec")),
		milliseconds(m.mean(one, "mean-wait-sec")), milliseconds(m.mean(widest, "mean-wait-sec")))
	shed := spreadSweep(Quick, strategy("bounded_queue_shed"))
	f.add("a pool that sheds when it is full refuses %s of the tasks at C² = 0 and %s at C² = 64: without a queue, only the mean counts",
		percent(m.mean(shed[0], "shed/op").mid), percent(m.mean(shed[len(shed)-1], "shed/op").mid))
	return f
}
