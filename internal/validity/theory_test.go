package validity_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/strategies"

	"github.com/poolbench/poolbench/internal/machine/race"
)

func scenario(t *testing.T, w bench.Encoded) bench.Scenario {
	t.Helper()
	w.Target, w.Arrival, w.Clock = "none", cmp.Or(w.Arrival, "poisson"), "virtual"
	w.Strategy = cmp.Or(w.Strategy, "worker_pool")
	s, err := w.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, s bench.Scenario) *bench.Result {
	t.Helper()
	r, err := bench.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func calculated(t *testing.T, s bench.Scenario) *bench.Result {
	t.Helper()
	r, known, err := s.Calculate()
	if err != nil {
		t.Fatal(err)
	}
	if !known {
		return run(t, s)
	}
	return r
}

func TestWrongTheoryIsReported(t *testing.T) {
	t.Parallel()
	for unit, w := range map[string]bench.Encoded{
		"mean-wait-sec": {Load: 0.3, Tasks: 50_000, Warmup: 0.1},
		"ops/s":         {Load: 1.3, Tasks: 20_000, Warmup: 0.1},
		"makespan-sec":  {Arrival: "batch", Tasks: 2000},
	} {
		w.Workload, w.Limit = "exponential", 2
		s := scenario(t, w)
		start := s.Strategy.Spec.New
		for _, slots := range []int{1, 2} {
			s.Strategy.Spec.New = func(ctx context.Context, p strategies.Params,
				sink strategies.Sink) strategies.Strategy {
				p.Limit = slots
				return start(ctx, p, sink)
			}
			r := run(t, s)
			value, _ := r.Metric(unit)
			exact, ok := r.Metric("theory-" + unit)
			both := fmt.Sprintf("%s is %.4g, and the exact value is %.4g", unit, value, exact)
			told := slices.ContainsFunc(r.Reasons, func(r result.Reason) bool {
				return r.Check == "theory" && strings.HasPrefix(r.Text, both)
			})
			if !ok || told != (slots == 1) {
				t.Errorf("%d of 2 slots: a reason that says %q: %v, have %v", slots,
					both, told, r.Reasons)
			}
		}
	}
}

func TestNoFalseAlarm(t *testing.T) {
	if race.Enabled {
		t.Skip("package bench has the same runs under the race detector")
	}
	t.Parallel()
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for i, strategy := range []string{"worker_pool", "segregated",
		"bounded_queue_shed", "unbounded"} {
		for j, workload := range []string{"exponential", "constant", "hyperexp",
			"two_class"} {
			for k, load := range []float64{0.5, 0.8, 1.2} {
				if testing.Short() && (i+j+k)%3 != 0 {
					continue
				}
				for seed := range seeds {
					r := calculated(t, scenario(t, bench.Encoded{Strategy: strategy,
						Workload: workload, Load: load, Limit: 4, Tasks: 5000, Warmup: 0.1,
						Seed: seed}))
					for _, reason := range r.Reasons {
						if reason.Check == "theory" {
							t.Errorf("%s seed %d: %v", r.Name, seed, reason)
						}
					}
				}
			}
		}
	}
}

// Consecutive waits in a long queue depend on the same running tasks.
func TestNoFalseAlarmInLongQueues(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		w := bench.Encoded{Strategy: "bounded_queue_shed", Workload: "exponential", Load: 1.5,
			Limit: 4, Queue: 1000,
			Tasks: 23_000, Warmup: 0.5, Seed: seed}
		for _, reason := range calculated(t, scenario(t, w)).Reasons {
			if reason.Check == "theory" {
				t.Errorf("seed %d: %v", seed, reason)
			}
		}
	}
}

// The random number of very long tasks affects all waits of a run.
func TestNoFalseAlarmOfRareTasks(t *testing.T) {
	for strategy, seed := range map[string]uint64{"event_loop_offload": 31694,
		"worker_pool": 34335} {
		w := bench.Encoded{Strategy: strategy, Workload: "lognormal", Limit: 1, Load: 0.4,
			Queue: bench.NoQueue, Tasks: 60_000, Seed: seed}
		for _, reason := range calculated(t, scenario(t, w)).Reasons {
			if reason.Check == "theory" {
				t.Errorf("%s: %v", strategy, reason)
			}
		}
	}
}
