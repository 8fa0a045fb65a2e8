package bench

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench/result"
)

func TestNaNMetricFails(t *testing.T) {
	for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		failed := false
		testing.Benchmark(func(b *testing.B) {
			reportMetrics(b, []result.Metric{{Unit: "ops/s", Value: value}, {Unit: "failed/op", Value: 0}})
			failed = b.Failed()
		})
		if !failed {
			t.Errorf("%v passes", value)
		}
	}
	r := testing.Benchmark(func(b *testing.B) {
		reportMetrics(b, []result.Metric{{Unit: "mean-wait-sec",
			Value: 2}})
	})
	if r.Extra["mean-wait-ns"] != 2e9 || r.Extra["ns/op"] != 0 {
		t.Errorf("reported are %v", r.Extra)
	}
}
