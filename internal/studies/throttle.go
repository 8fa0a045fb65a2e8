package studies

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// throttle sends the same work at a target that admits 300 calls a second, below and above that rate. A limit on
// concurrency is not a limit on a rate: the share of throttled tasks says how far the strategies help.
//
// The claim holds where a worker pool takes away nine tenths of what is throttled without it, at every rate and kind of arrivals; it does
// not hold where nowhere even a tenth is taken away; else it depends. Where less than one task in a hundred is throttled anyway, nothing is to be had.
var _ = register(Study{
	Name:     "throttle",
	Question: "does a limit on concurrency keep a rate-limited target from refusing?",
	Claim:    "a bounded pool keeps a rate-limited target from refusing calls",
	Count:    [3]int{1, 3, 10},
	Cells:    func(size Size) []bench.Scenario { return throttleSweep(size, familiar()) },
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		return throttleSweep(size, []strategies.Variant{v}), nil
	},
	Judge: judgeThrottle,
})

func throttleSweep(size Size, of []strategies.Variant) []bench.Scenario {
	return cross(bench.Matrix{
		Strategies: of,
		Workloads:  workload("exponential:mean=10ms"),
		Targets:    target("token_bucket:rate=300,burst=10"),
		Arrivals:   arrival("poisson", "bulk:n=100"),
		Limits:     []int{limit},
		Rates:      []float64{200, 290, 380},
		Stop:       bench.Stop{Tasks: [...]int{10_000, 20_000, 200_000}[size], Warmup: 0.1},
		Seed:       1,
		Clock:      bench.Virtual,
	})
}

func judgeThrottle(m *measured) Finding {
	free, pool := throttleSweep(Quick, strategy("unbounded")), throttleSweep(Quick, strategy("worker_pool"))
	least, most, at := math.Inf(1), math.Inf(-1), ""
	var lines []string
	for i, sc := range free {
		without, with := m.mean(sc, "throttled/op").mid, m.mean(pool[i], "throttled/op").mid
		if math.IsNaN(without) || math.IsNaN(with) {
			return undecided("unbounded or worker_pool was not measured with %s arrivals at %v/s", sc.Load.Arrival, sc.Load.PerSecond)
		}
		where := fmt.Sprintf("%s arrivals at %v/s", sc.Load.Arrival, sc.Load.PerSecond)
		lines = append(lines, fmt.Sprintf("%s: %s throttled without a bound, %s with %d workers", where, percent(without), percent(with), limit))
		if without < 0.01 {
			continue
		}
		if avoided := 1 - with/without; avoided > most {
			most, at = avoided, where
		}
		least = min(least, 1-with/without)
	}
	if math.IsInf(least, 1) {
		return undecided("nothing was throttled")
	}
	f := Finding{Lines: lines}
	switch {
	case least >= 0.9:
		f.Verdict, f.Because = Holds, fmt.Sprintf("%d workers take away at least %s of what is throttled without them", limit, percent(least))
	case most < 0.1:
		f.Verdict, f.Because = DoesNotHold, fmt.Sprintf("%d workers take away at most %s of what is throttled without them: a limit on concurrency is none on a rate", limit, percent(most))
	default:
		f.Verdict, f.Because = Depends, fmt.Sprintf("on the arrivals: %d workers take away %s to %s of what is throttled without them, the most with %s; what spreads a burst helps, and above the rate nothing does",
			limit, percent(least), percent(most), at)
	}
	return f
}
