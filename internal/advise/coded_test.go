package advise

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// Runs are compared with the recursion of the same tasks. Slower runs must increase the predicted
// wait.
func TestPaired(t *testing.T) {
	const unit = "p99-wait-sec"
	of := func(v float64) *modelReading {
		return &modelReading{figures: map[string]Figure{unit: {v, v, v}, "shed/op": {},
			"throttled/op": {}, "failed/op": {}, "abandoned/op": {}}}
	}
	reading := func(own, recursion []float64) *codeReading {
		r := &codeReading{all: &modelReading{figures: map[string]Figure{unit: {0.1, 0.2, 0.3}}}}
		for i, v := range own {
			one := &bench.Result{Metrics: []result.Metric{{Unit: unit, Value: v}}}
			for _, loss := range losses {
				one.Metrics = append(one.Metrics, result.Metric{Unit: loss.unit})
			}
			r.results, r.each = append(r.results, one), append(r.each, of(recursion[i]))
		}
		return r
	}
	equal := reading([]float64{0, 0.05, 0}, []float64{0, 0.05, 0})
	if f := equal.figure(unit); f != (Figure{0.1, 0.2, 0.3}) {
		t.Errorf("the same runs come to %v", f)
	}
	later := reading([]float64{0, 0.06, 0}, []float64{0, 0.05, 0})
	if f := later.figure(unit); f.Mid <= 0.2 || f.High <= 0.3 {
		t.Errorf("later ones come to %v", f)
	}
	twice := reading([]float64{0.2, 0.1, 0.4}, []float64{0.1, 0.05, 0.2})
	if f := twice.figure(unit); f.Mid < 0.399 || f.Mid > 0.401 {
		t.Errorf("twice as late ones come to %v", f)
	}
}

// A strategy whose code violates the declared contract of a pool must be excluded.
func TestBrokenContract(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	slots := func(p strategies.Params) int { return p.Limit }
	late := func(by time.Duration) strategies.Variant {
		return strategies.Variant{Spec: strategies.Spec{Name: fmt.Sprintf("late_%d", by),
			Bound: slots, Capacity: slots, FIFO: true, WorkConserving: true,
			New: func(ctx context.Context, p strategies.Params, sink strategies.Sink,
			) strategies.Strategy {
				var running sync.WaitGroup
				start := func(run func()) error {
					running.Go(func() { time.Sleep(by); run() })
					return nil
				}
				return engine.Executor{Slots: slots(p), Go: start, Close: running.Wait}.
					Start(ctx, sink)
			}}}
	}
	q := asked(t, "exponential:mean=10ms", 280, "p99-response<80ms")
	q.Strategies = []strategies.Variant{late(2 * time.Millisecond), late(0)}
	a := answered(t, q)
	best := a.Recommendation
	if best.Strategy.String() != "late_0" || len(best.Ties) > 0 {
		t.Errorf("recommends %s, as good as %v", best.Strategy, best.Ties)
	}
	if len(a.NotLooked) != 1 ||
		!strings.HasPrefix(a.NotLooked[0], "late_2000000: breaks its contract: ") {
		t.Errorf("not looked at: %q", a.NotLooked)
	}
}
