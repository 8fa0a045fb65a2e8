package judge_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
)

// A latencySource gives the sorted latencies of runs that follow one another.
type latencySource = sourceOf[[]float64]

// latencySources are the recorded runs of 500 requests and the synthetic ones of 1000.
func (t *traces) latencySources() []latencySource {
	return []latencySource{{"lat.txt", replay(t.latencies)}, {"bursts", bursts}}
}

// longLatencySources are those whose runs have 1000 requests: of the trace, two recorded runs are
// one.
func (t *traces) longLatencySources() []latencySource {
	long := make([][]float64, len(t.latencies)/2)
	for i := range long {
		long[i] = slices.Concat(t.latencies[2*i], t.latencies[2*i+1])
		slices.Sort(long[i])
	}
	return []latencySource{{"lat.txt, two runs as one", replay(long)}, {"bursts", bursts}}
}

// bursts are runs of 1000 requests with log-normal times (σ = 0.5), of which 2 bursts in the mean
// (Poisson) hold up 8 neighbours each, 1+2X times as long, X exponential: requests of a run that
// are bad together, as behind a pause of the garbage collector. The p99 of a run varies by 18 %,
// that of a recorded one by 14.5 %.
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

// slowed is the share of a run's requests that a tail-only regression makes longer.
const slowed = 0.05

// tailSample draws n pairs of neighbouring runs, the head's slowest requests longer by the factor.
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

// throughputSample draws n pairs of neighbouring runs, the head's throughput times the factor.
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
