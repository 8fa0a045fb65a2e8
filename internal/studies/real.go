package studies

import (
	"time"

	"github.com/poolbench/poolbench/bench"
)

// realWaits does under the real clock what load does under the virtual one: what is left over is overhead and the timers of
// the machine.
var _ = register(Study{
	Name:     "real_waits",
	Question: "how much of the theory is left on this machine, for tasks that wait?",
	Count:    2,
	Matrix: func() bench.Matrix {
		return bench.Matrix{
			Strategies: familiar(),
			Workloads:  workload("exponential:mean=10ms"),
			Limits:     []int{limit},
			Loads:      []float64{0.5, 0.8},
			Stop:       bench.Stop{Duration: 1200 * time.Millisecond, Warmup: 0.1},
			Seed:       1,
			Clock:      bench.Real,
		}
	},
})

// realComputing has tasks that compute a counted amount, so that the cores are the places.
var _ = register(Study{
	Name:     "real_computing",
	Question: "and for tasks that compute?",
	Count:    2,
	Matrix: func() bench.Matrix {
		return bench.Matrix{
			Strategies: familiar(),
			Workloads:  workload("cpu_sha256:mean=1ms"),
			Limits:     []int{limit},
			Loads:      []float64{0.7},
			Stop:       bench.Stop{Duration: time.Second, Warmup: 0.1},
			Seed:       1,
			Clock:      bench.Real,
		}
	},
})
