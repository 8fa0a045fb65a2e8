package arrivals

import (
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// stream separates the random numbers of arrivals from those of the task times.
const stream = 0x61727269_76616c73

// The sum of gaps is a float64 in nanoseconds, rounded once per arrival. It is exact to the
// nanosecond for 2^53 ns, or 104 days.
var poisson = register(Spec{
	Name:    "poisson",
	Summary: "independent exponential gaps: many independent users",
	Source:  "queueing theory (the M of M/M/k)",
	Bursts:  func(float64, param.Values) Bursts { return Bursts{Dispersion: 1, Memory: 1} },
	Open: func(rate float64, seed uint64, _ param.Values) (Next, error) {
		r := rand.New(rand.NewPCG(seed, stream))
		mean := float64(time.Second) / rate
		var at float64
		return func() time.Duration {
			at += r.ExpFloat64() * mean
			return time.Duration(at)
		}, nil
	},
})
