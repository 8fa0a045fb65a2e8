package advise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/poolbench/poolbench/internal/objectives"
)

// shapes are recorded traffics of n tasks, of 10 ms on average, for eight slots that are 80 % busy.
var shapes = map[string]func(r *rand.Rand, n int) sample{
	"poisson": func(r *rand.Rand, n int) (s sample) {
		at := 0.0
		for range n {
			at += r.ExpFloat64() / 640
			s.add(at, 0.01*r.ExpFloat64())
		}
		return s
	},
	// 200 ms of twice the rate, 200 ms of silence
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
	// a rate that wanders, and slow spells of log-normal calls: a p99 is that of a few spells, and
	// a half may have none of them
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

// recordedAs is what a sample is as a plan.
func recordedAs(s sample) *traffic {
	return &traffic{samples: []sample{s}, blocks: batches, recorded: true, warmup: 0.02,
		busier: s.busier()}
}

// heldOut promises the p99 from the first half of a recorded plan, for the smallest limit that
// keeps it below 60 ms, and looks whether it is so in the second; width is the further end of the
// interval, as a share.
func heldOut(t testing.TB, whole sample, half int) (held bool, width float64) {
	t.Helper()
	first := recordedAs(sample{whole.due[:half], whole.service[:half]})
	second := recordedAs(sample{whole.due[half:], whole.service[half:]})
	wanted := list(t, "p99-response<60ms")
	limit := 1 + sortSearch(64, func(below int) bool {
		return judge(first.through(plainLine(below+1, anyQueue)), wanted) == objectives.Met
	})
	promise := first.through(plainLine(limit, anyQueue)).figure("p99-response-sec")
	is := second.through(plainLine(limit, anyQueue)).figure("p99-response-sec").Mid
	return promise.Low <= is && is <= promise.High,
		max(promise.High/promise.Mid-1, 1-promise.Low/promise.Mid)
}

// TestHoldOut: the promise that the first half of a recorded plan makes for its p99 at the limit
// that is recommended holds in the second, for at least 18 of 20 plans of each shape, by an
// interval that is no excuse: for plans of 100,000 tasks that are stationary it is at most 15 % to
// each side.
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

// BenchmarkHoldOut is the coverage of the promise over many plans of a shape.
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
