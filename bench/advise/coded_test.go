package advise

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
)

// TestPaired: what a strategy's own short runs come to is set against the recursion on the same
// tasks: where they are equal it is what the recursion says of all of the traffic, and where they
// are later it is later than that, though most runs are too short for any wait.
func TestPaired(t *testing.T) {
	const unit = "p99-wait-sec"
	of := func(v float64) *modelled {
		return &modelled{figures: map[string]Figure{unit: {v, v, v}, "shed/op": {},
			"throttled/op": {}, "failed/op": {}, "abandoned/op": {}}}
	}
	reading := func(own, recursion []float64) *ran {
		r := &ran{all: &modelled{figures: map[string]Figure{unit: {0.1, 0.2, 0.3}}}}
		for i, v := range own {
			one := &bench.Result{Metrics: []bench.Metric{{Unit: unit, Value: v}}}
			for _, loss := range losses {
				one.Metrics = append(one.Metrics, bench.Metric{Unit: loss.unit})
			}
			r.results, r.each = append(r.results, one), append(r.each, of(recursion[i]))
		}
		return r
	}
	wanted := list(t, "p99-wait<1s")
	equal := reading([]float64{0, 0.05, 0}, []float64{0, 0.05, 0})
	if f := equal.figure(unit); f != (Figure{0.1, 0.2, 0.3}) || !equal.alike(wanted) {
		t.Errorf("the same runs come to %v", f)
	}
	later := reading([]float64{0, 0.06, 0}, []float64{0, 0.05, 0})
	if f := later.figure(unit); f.Mid <= 0.2 || f.High <= 0.3 || later.alike(wanted) {
		t.Errorf("later ones come to %v", f)
	}
	twice := reading([]float64{0.2, 0.1, 0.4}, []float64{0.1, 0.05, 0.2})
	if f := twice.figure(unit); f.Mid < 0.399 || f.Mid > 0.401 {
		t.Errorf("twice as late ones come to %v", f)
	}
}
