package studies

import "github.com/poolbench/poolbench/bench"

// throttle sends the same work at a target that admits 300 calls a second, below and above that rate. A limit on
// concurrency is not a limit on a rate: the share of throttled tasks says how far the strategies help.
var _ = register(Study{
	Name:     "throttle",
	Question: "does a limit on concurrency keep a rate-limited target from refusing?",
	Count:    3,
	Matrix: func() bench.Matrix {
		return bench.Matrix{
			Strategies: familiar(),
			Workloads:  workload("exponential:mean=10ms"),
			Targets:    target("token_bucket:rate=300,burst=10"),
			Arrivals:   arrival("poisson", "bulk:n=100"),
			Limits:     []int{limit},
			Rates:      []float64{200, 290, 380},
			Stop:       bench.Stop{Tasks: 20_000, Warmup: 0.1},
			Seed:       1,
			Clock:      bench.Virtual,
		}
	},
})
