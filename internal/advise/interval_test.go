package advise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/poolbench/poolbench/internal/objectives"
)

// shapes generates n tasks with a mean of 10 ms, which keep eight slots 80 % busy.
var shapes = map[string]func(r *rand.Rand, n int) sample{
	"poisson": func(r *rand.Rand, n int) (s sample) {
		at := 0.0
		for range n {
			at += r.ExpFloat64() / 640
			s.add(at, 0.01*r.ExpFloat64())
		}
		return s
	},
	// bursts of 200 ms at twice the rate, then 200 ms idle
	"on-off": func(r *rand.Rand, n int) (s sample) {
		at, until := 0.0, 0.2*r.ExpFloat64()
		for range n {
			for at += r.ExpFloat64() / 1280; at > until; {
				off := 0.2 * r.ExpFloat64()
				at += off
				until += off + 0.2*r.ExpFloat64()
			}
			s.add(at, 0.01*r.ExpFloat64())
		}
		return s
	},
	// a few slow periods determine the p99, and one half of the plan may have none
	"wandering": func(r *rand.Rand, n int) (s sample) {
		at, mood, slow := 0.0, 0.0, 0.0
		for i := range n {
			if i%100 == 0 {
				mood = 0.9*mood + 0.1*r.NormFloat64()
				slow = 0.8*slow + 0.1*r.NormFloat64()
			}
			at += r.ExpFloat64() / (600 * math.Exp(mood))
			s.add(at, 0.0085*math.Exp(slow+0.7*r.NormFloat64()-0.245))
		}
		return s
	},
}

func (s *sample) add(due, service float64) {
	s.due = append(s.due, int64(due*1e9))
	s.service = append(s.service, int64(service*1e9))
}

func recordedAs(s sample) *traffic {
	return &traffic{samples: []sample{s}, blocks: batches, recorded: true, warmup: 0.02,
		busier: s.busier()}
}

// heldOut predicts the p99 from the first half of a recorded plan and reports whether the interval
// contains the p99 of the second half.
func heldOut(t testing.TB, whole sample, half int) (held bool, width float64) {
	t.Helper()
	first := recordedAs(sample{whole.due[:half], whole.service[:half]})
	second := recordedAs(sample{whole.due[half:], whole.service[half:]})
	wanted := list(t, "p99-response<60ms")
	limit := smallest(0, 64, 1, func(limit int) bool {
		return judge(first.simulate(unstressedLine(limit, unboundedQueue)), wanted) == objectives.Met
	})
	promise := first.simulate(unstressedLine(limit, unboundedQueue)).figure("p99-response-sec")
	is := second.simulate(unstressedLine(limit, unboundedQueue)).figure("p99-response-sec").Mid
	return promise.Low <= is && is <= promise.High,
		max(promise.High/promise.Mid-1, 1-promise.Low/promise.Mid)
}

// The prediction must hold in the second half for 18 of 20 plans.
func TestHoldOut(t *testing.T) {
	plans := 20
	if testing.Short() {
		plans = 4
	}
	for shape, tasks := range map[string]int{
		"poisson": 100_000, "on-off": 100_000, "wandering": 50_000} {
		held, n, widest := 0, plans, 0.0
		for seed := range n {
			whole := shapes[shape](rand.New(rand.NewPCG(uint64(seed), 16)), 2*tasks)
			ok, width := heldOut(t, whole, tasks)
			if ok {
				held++
			}
			widest = max(widest, width)
		}
		t.Logf("%s: held in %d of %d, at most %.1f %% to a side", shape, held, n, 100*widest)
		if held < n*18/20 {
			t.Errorf("%s: the promise held in %d of %d plans", shape, held, n)
		}
		if shape != "wandering" && widest > 0.15 {
			t.Errorf("%s: an interval of %.1f %% to a side", shape, 100*widest)
		}
	}
}

func BenchmarkHoldOut(b *testing.B) {
	const tasks = 50_000
	for shape, make := range shapes {
		b.Run(shape, func(b *testing.B) {
			held, widths, n := 0.0, 0.0, uint64(0)
			for b.Loop() {
				n++
				ok, width := heldOut(b, make(rand.New(rand.NewPCG(n, 17)), 2*tasks), tasks)
				if ok {
					held++
				}
				widths += width
			}
			b.ReportMetric(held/float64(n), "held/op")
			b.ReportMetric(widths/float64(n), "width/op")
		})
	}
}
