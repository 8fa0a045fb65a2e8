package judge_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
)

type latencySource = sourceOf[[]float64]

func (t *traces) latencySources() []latencySource {
	return []latencySource{{"lat.txt", replay(t.latencies)}, {"bursts", bursts}}
}

func (t *traces) longLatencySources() []latencySource {
	long := make([][]float64, len(t.latencies)/2)
	for i := range long {
		long[i] = slices.Concat(t.latencies[2*i], t.latencies[2*i+1])
		slices.Sort(long[i])
	}
	return []latencySource{{"lat.txt, two runs as one", replay(long)}, {"bursts", bursts}}
}

// bursts generates runs of 1000 log-normal times (σ = 0.5). Like garbage collections, 2 bursts per
// run (Poisson) slow down 8 requests by a factor of 1+2X, with X exponential. The p99 varies by 18
// % between runs (recorded runs: 14.5 %).
func bursts(rng *rand.Rand) func() []float64 {
	const requests, sigma, inTheMean, length = 1000, 0.5, 2.0, 8
	return func() []float64 {
		run := make([]float64, requests)
		for i := range run {
			run[i] = 1e6 * math.Exp(sigma*rng.NormFloat64())
		}
		for wait := rng.ExpFloat64(); wait < inTheMean; wait += rng.ExpFloat64() {
			at, held := rng.IntN(requests-length), 1+2*rng.ExpFloat64()
			for i := at; i < at+length; i++ {
				run[i] *= held
			}
		}
		slices.Sort(run)
		return run
	}
}

const slowed = 0.05

func tailSample(from latencySource, n int, factor float64, rng *rand.Rand) (judge.Sample, error) {
	next := from.start(rng)
	s := judge.Sample{Metric: judge.Metric{Benchmark: "b", Unit: "p99-response-sec",
		Better: verdict.LowerIsBetter, Quantile: 0.99}}
	var wrong error
	for range n {
		arms := pair(rng, func(arm int) judge.Histogram {
			run := next()
			if arm == 1 {
				run = slices.Clone(run)
				for i := len(run) - int(slowed*float64(len(run))); i < len(run); i++ {
					run[i] *= factor
				}
			}
			var bins []judge.Bin
			for _, v := range run {
				bins = append(bins, judge.Bin{Value: v, Count: 1})
			}
			h, err := judge.NewHistogram(bins)
			wrong = errors.Join(wrong, err)
			return h
		})
		s.Tails = append(s.Tails, judge.TailPair{Base: arms[0], Head: arms[1]})
	}
	return s, wrong
}

func (t *traces) throughputSample(n int, factor float64, rng *rand.Rand) judge.Sample {
	next := replay(t.throughput)(rng)
	s := judge.Sample{Metric: judge.Metric{Benchmark: "b", Unit: "ops/s",
		Better: verdict.HigherIsBetter}}
	for range n {
		value := pair(rng, func(int) float64 { return next() })
		s.Pairs = append(s.Pairs, judge.Pair{Base: value[0], Head: value[1] * factor})
	}
	return s
}
