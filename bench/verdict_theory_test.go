package bench_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/house/check"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/strategies"
)

// TestFalseTheoryIsTold: runs of a strategy with half of the slots that it declares are SUSPECT,
// with both numbers, beside the law that they break.
func TestFalseTheoryIsTold(t *testing.T) {
	t.Parallel()
	for unit, w := range map[string]bench.Written{
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
			r, err := bench.Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			both := fmt.Sprintf("%s is %.4g, the exact value %.4g", unit, metric(t, r, unit),
				metric(t, r, "theory-"+unit))
			told := slices.ContainsFunc(r.Reasons, func(r bench.Reason) bool {
				return r.Check == "theory" && strings.HasPrefix(r.Text, both)
			})
			if told != (slots == 1) {
				t.Errorf("%d of 2 slots: a reason that says %q: %v, have %v", slots,
					both, told, r.Reasons)
			}
		}
	}
}

// TestNoFalseAlarm: what is right is not told of. (A hundred runs of each of 32 cells had no false
// alarm either: see the package's verdict_theory.go.)
func TestNoFalseAlarm(t *testing.T) {
	t.Parallel()
	seeds := uint64(check.Of(t, 1, 3))
	for _, strategy := range []string{"worker_pool", "segregated",
		"bounded_queue_shed", "unbounded"} {
		for _, workload := range race.Sample(t, []string{"exponential", "constant", "hyperexp",
			"two_class"}, 1) {
			for _, load := range []float64{0.5, 0.8, 1.2} {
				for seed := range seeds {
					r := calculated(t, scenario(t, bench.Written{Strategy: strategy,
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

// TestNoFalseAlarmInLongQueues: a queue that is always full makes as many neighbours wait for the
// same tasks as it has slots, and so few of the waits of a run are independent.
func TestNoFalseAlarmInLongQueues(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		w := bench.Written{Strategy: "bounded_queue_shed", Workload: "exponential", Load: 1.5,
			Limit: 4, Queue: 1000,
			Tasks: 23_000, Warmup: 0.5, Seed: seed}
		for _, reason := range calculated(t, scenario(t, w)).Reasons {
			if reason.Check == "theory" {
				t.Errorf("seed %d: %v", seed, reason)
			}
		}
	}
}

// TestNoFalseAlarmOfRareTasks: a run whose share of very long tasks is not the usual one waits
// otherwise, and does so in all of its batches.
func TestNoFalseAlarmOfRareTasks(t *testing.T) {
	for strategy, seed := range map[string]uint64{"event_loop_offload": 31694,
		"worker_pool": 34335} {
		w := bench.Written{Strategy: strategy, Workload: "lognormal", Limit: 1, Load: 0.4,
			Queue: bench.NoQueue, Tasks: 60_000, Seed: seed}
		for _, reason := range calculated(t, scenario(t, w)).Reasons {
			if reason.Check == "theory" {
				t.Errorf("%s: %v", strategy, reason)
			}
		}
	}
}

// TestPoolsOfCores: a strategy that counts the cores has the pools that it made, whatever
// GOMAXPROCS is afterwards: a virtual run goes on with one processor.
func TestPoolsOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	s := scenario(t, bench.Written{Strategy: "cpu_io_split", Limit: 4, Load: 0.4,
		Tasks: 5000, Seed: 1})
	made := s.Strategy.Spec.New
	s.Strategy.Spec.New = func(ctx context.Context, p strategies.Params,
		sink strategies.Sink) strategies.Strategy {
		defer runtime.GOMAXPROCS(1)
		return made(ctx, p, sink)
	}
	r := run(t, s)
	if diff, ok := r.Metric("oracle-max-diff-sec"); !ok || diff != 0 || len(r.Broken) > 0 {
		t.Errorf("oracle off by %v s: %v", diff, r.Broken)
	}
}

// TestPoolsOfClasses: pools for each class have exact values and an oracle where nothing stood
// before a full queue, and with a queue of no slot they have neither, and the run is SUSPECT: the
// short tasks stood behind the long ones, outside.
func TestPoolsOfClasses(t *testing.T) {
	t.Parallel()
	w := bench.Written{Strategy: "segregated", Workload: "bimodal:p=0.1,short=2ms,long=30ms",
		Limit: 5, Rate: 600, Tasks: 200_000, Warmup: 0.1, Seed: 1}
	tolerance := 0.05
	if race.Enabled {
		w.Tasks, tolerance = w.Tasks/10, tolerance*math.Sqrt(10)
	}
	r := run(t, scenario(t, w))
	if _, ok := r.Metric("theory-mean-wait-sec"); !ok || metric(t, r, "oracle-max-diff-sec") != 0 ||
		metric(t, r, "held/op") != 0 || r.Verdict != bench.Valid {
		t.Errorf("%s: %v, %v", r.Name, r.Verdict, r.Reasons)
	}
	near(t, r, "mean-wait-sec", metric(t, r, "theory-mean-wait-sec"), tolerance)
	w.Queue, w.Tasks = bench.NoQueue, w.Tasks/10
	r = run(t, scenario(t, w))
	for _, unit := range []string{"theory-mean-wait-sec", "theory-short-mean-response-sec",
		"oracle-mean-wait-sec"} {
		if v, ok := r.Metric(unit); ok {
			t.Errorf("%s: %s is %v", r.Name, unit, v)
		}
	}
	if !slices.ContainsFunc(r.Reasons,
		func(r bench.Reason) bool { return r.Check == "full queue" }) ||
		metric(t, r, "held/op") < 0.1 || metric(t, r, "mean-held-sec") < 1e-4 {
		t.Errorf("%s: held/op %v, %v", r.Name, metric(t, r, "held/op"), r.Reasons)
	}
}
