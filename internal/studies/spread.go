package studies

import "github.com/poolbench/poolbench/bench"

// spread holds load and mean fixed and lets the task times spread: C² = 0, 1, 4, 16 and 64.
var _ = register(Study{
	Name:     "spread",
	Question: "what does variance of the task times cost, at the same load and the same mean?",
	Count:    3,
	Matrix: func() bench.Matrix {
		return bench.Matrix{
			Strategies: familiar(),
			Workloads: workload("constant:mean=10ms", "exponential:mean=10ms", "hyperexp:mean=10ms,c2=4",
				"hyperexp:mean=10ms,c2=16", "hyperexp:mean=10ms,c2=64"),
			Limits: []int{limit},
			Loads:  []float64{0.7},
			Stop:   bench.Stop{Tasks: 100_000, Warmup: 0.1},
			Seed:   1,
			Clock:  bench.Virtual,
		}
	},
})
