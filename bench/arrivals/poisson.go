package arrivals

import (
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// stream separates the arrivals' random numbers from those of the task times, which are drawn from
// (seed, sequence number).
const stream = 0x61727269_76616c73

// poisson is the M of M/G/k: independent exponential gaps, so an arrival sees the same state as a
// random instant (PASTA). The sum is in float64 nanoseconds and rounded once per arrival. It is
// exact to the nanosecond for 2^53 ns, 104 days.
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
