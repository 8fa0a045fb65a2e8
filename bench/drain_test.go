package bench_test

import (
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// 4 workers have 40 tasks of 10 ms. After 35 ms three rounds are done, the fourth is cancelled and
// the rest abandoned.
func TestDrain(t *testing.T) {
	for drain, want := range map[time.Duration]struct{ abandoned, makespan float64 }{
		35 * time.Millisecond:  {28. / 40, 0.035},
		100 * time.Millisecond: {0, 0.1},
		0:                      {0, 0.1},
	} {
		r := run(t, scenario(t,
			bench.Encoded{Strategy: "draining_pool", Workload: "constant:mean=10ms",
				Arrival: "batch", Limit: 4, Queue: 36, Tasks: 40, Drain: drain}))
		if got := metric(t, r, "abandoned/op"); got != want.abandoned {
			t.Errorf("drain %v: %v of the tasks are abandoned, want %v", drain, got, want.abandoned)
		}
		if got := metric(t, r, "makespan-sec"); got != want.makespan {
			t.Errorf("drain %v: the last ends after %v s, want %v", drain, got, want.makespan)
		}
		if _, ok := r.Metric("theory-makespan-sec"); ok && drain != 0 {
			t.Errorf("drain %v: theory is given, which knows of no deadline", drain)
		}
	}
}

func TestDrainAll(t *testing.T) {
	for _, spec := range strategies.All() {
		t.Run(spec.Name, func(t *testing.T) {
			w := bench.Encoded{Strategy: spec.Name, Workload: "exponential:mean=10ms",
				Target: "none", Arrival: "poisson", Load: 0.9, Limit: 4, Tasks: 500,
				Drain: time.Nanosecond, Seed: 1, Clock: "virtual"}
			if spec.UsesQueue {
				w.Queue = 8
			}
			s, err := w.Scenario()
			if err != nil {
				t.Fatal(err)
			}
			r, err := bench.Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Broken) > 0 {
				t.Errorf("laws are broken: %q", r.Broken)
			}
			if metric(t, r, "abandoned/op") == 0 {
				t.Error("no task is abandoned, although the last was submitted a nanosecond before")
			}
		})
	}
}
