package studies

import "github.com/poolbench/poolbench/bench"

// load sweeps the load at exponential task times, where theory knows every answer: the points have to lie on its lines.
var _ = register(Study{
	Name:     "load",
	Question: "how do response and throughput change as the load nears the capacity?",
	Count:    3,
	Matrix: func() bench.Matrix {
		return bench.Matrix{
			Strategies: familiar(),
			Workloads:  workload("exponential:mean=10ms"),
			Limits:     []int{limit},
			Loads:      []float64{0.3, 0.5, 0.7, 0.8, 0.9, 1.1},
			Stop:       bench.Stop{Tasks: 120_000, Warmup: 0.1},
			Seed:       1,
			Clock:      bench.Virtual,
		}
	},
})
