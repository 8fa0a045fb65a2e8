package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// sourceOf is a generator of noise. start returns consecutive runs from a random position.
type sourceOf[Run any] struct {
	name  string
	start func(rng *rand.Rand) (next func() Run)
}

type source = sourceOf[float64]

func pair[T any](rng *rand.Rand, measure func(arm int) T) (arms [2]T) {
	first := rng.IntN(2)
	for _, arm := range [2]int{first, 1 - first} {
		arms[arm] = measure(arm)
	}
	return arms
}

// sources returns SHA-256 runs of 41 ms and 205 ms, map runs of 7.5 ms, and synthetic drift.
func (t *traces) sources() []source {
	return []source{
		{"sha 41 ms", replay(means(t.sha, 10))},
		{"map 7.5 ms", replay(means(t.maps, 10))},
		{"sha 205 ms", replay(means(t.sha, 50))},
		{"synthetic", drift},
	}
}

func means(tasks []float64, k int) []float64 {
	runs := make([]float64, len(tasks)/k)
	for i := range runs {
		for _, v := range tasks[i*k : (i+1)*k] {
			runs[i] += v / float64(k)
		}
	}
	return runs
}

func replay[Run any](runs []Run) func(rng *rand.Rand) func() Run {
	return func(rng *rand.Rand) func() Run {
		at := rng.IntN(len(runs))
		return func() Run {
			v := runs[at]
			at = (at + 1) % len(runs)
			return v
		}
	}
}

// drift simulates a machine whose speed drifts by 3 % (AR(1), correlation time 100 runs), with 2 %
// of noise. A delay of 10 to 50 % affects 5 % of the runs.
func drift(rng *rand.Rand) func() float64 {
	const wander, memory, jitter, spikes = 0.03, 100, 0.02, 0.05
	keep := math.Exp(-1.0 / memory)
	level := wander * rng.NormFloat64()
	return func() float64 {
		level = keep*level + math.Sqrt(1-keep*keep)*wander*rng.NormFloat64()
		v := 1e6 * math.Exp(level+jitter*rng.NormFloat64())
		if rng.Float64() < spikes {
			v *= 1.1 + 0.4*rng.Float64()
		}
		return v
	}
}

// white is uncorrelated noise. sd is the standard deviation of the log ratio of two runs.
func white(sd float64) source {
	return source{fmt.Sprintf("%.0f %% of noise", 100*sd),
		func(rng *rand.Rand) func() float64 {
			return func() float64 {
				return 1e6 * math.Exp(sd/math.Sqrt2*rng.NormFloat64())
			}
		}}
}
