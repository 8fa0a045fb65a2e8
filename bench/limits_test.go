package bench_test

import (
	"math"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// In a batch with tasks of 10 ms, each round adds a slot: 4, 5, 6, 7, 8, so the mean limit is 6. A
// warm-up does not change this, because all tasks are due at 0.
func TestMeanLimit(t *testing.T) {
	const some = -1 // tasks released at the same time have no order
	for _, c := range []struct {
		strategy string
		warmup   float64
		want     float64 // 0: none
	}{
		{"adaptive_aimd:initial=4", 0, 6},
		{"adaptive_aimd:initial=4", 22. / 30, 6},
		{"retry+adaptive_aimd:initial=4", 0, 6},
		{"token_bucket:rate=1e6,burst=100+adaptive_aimd:initial=4", 0, some},
		{"circuit_breaker+adaptive_aimd:initial=4", 0, 6},
		{"adaptive_aimd", 0, 8},
		{"worker_pool", 0, 0},
		{"retry+worker_pool", 0, 0},
	} {
		r := run(t, scenario(t, bench.Encoded{Strategy: c.strategy, Workload: "constant:mean=10ms",
			Arrival: "batch", Tasks: 30, Warmup: c.warmup, Limit: 8, Clock: "virtual"}))
		if got, ok := r.Metric("mean-limit"); ok != (c.want != 0) ||
			c.want != some && math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s after a warm-up of %v: %v %v, want %v", c.strategy, c.warmup, got, ok, c.want)
		}
	}
}

// The load of the first second raises the limit from 4 to 8. A warm-up of all but the last task
// must exclude that second.
func TestMeanLimitAfterTheWarmup(t *testing.T) {
	whole := scenario(t, bench.Encoded{Strategy: "adaptive_aimd:initial=4", Limit: 8,
		Workload: "constant:mean=10ms", Arrival: "stages:unit=rate,of=constant,at=1000x1s_1x2s",
		Tasks: 1002, Clock: "virtual"})
	last := whole
	last.Stop.Warmup = 1001. / 1002
	before, after := metric(t, run(t, whole), "mean-limit"), metric(t, run(t, last), "mean-limit")
	if !(before > 7 && before < 8) || after != 8 {
		t.Errorf("the limit is %v on average and %v at the end, want some less than 8, and 8", before,
			after)
	}
}

// In a batch, each round of 10 ms adds a slot. The timeline must have the limit at the end of each
// interval, and none if the strategy has a constant limit.
func TestLimitOverTime(t *testing.T) {
	for _, strategy := range []string{"adaptive_aimd:initial=4", "retry+adaptive_aimd:initial=4",
		"worker_pool"} {
		r := run(t, scenario(t, bench.Encoded{Strategy: strategy, Workload: "constant:mean=10ms",
			Arrival: "batch", Tasks: 30, Limit: 8, Clock: "virtual"}))
		if len(r.Timeline) < 50 {
			t.Fatalf("%s: %d intervals", strategy, len(r.Timeline))
		}
		for _, v := range r.Timeline {
			want := 4 + int((v.Start+v.Length-1)/(10*time.Millisecond))
			if strategy == "worker_pool" {
				want = 0
			}
			if v.Limit != min(want, 8) {
				t.Errorf("%s: the limit is %d at %v, want %d", strategy, v.Limit, v.Start+v.Length,
					want)
			}
		}
	}
}
