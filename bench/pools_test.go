package bench_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/strategies"
)

// A virtual run sets GOMAXPROCS to 1, but must keep the pool sizes from its start.
func TestPoolsOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	s := scenario(t, bench.Encoded{Strategy: "cpu_io_split", Limit: 4, Load: 0.4,
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

// Class pools have exact values unless tasks wait before a full queue. There short tasks wait
// behind long ones, so the run is SUSPECT.
func TestPoolsOfClasses(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Parallel()
	w := bench.Encoded{Strategy: "segregated", Workload: "bimodal:p=0.1,short=2ms,long=30ms",
		Limit: 5, Rate: 600, Tasks: 200_000, Warmup: 0.1, Seed: 1}
	tolerance := 0.05
	if race.Enabled {
		w.Tasks, tolerance = w.Tasks/10, tolerance*math.Sqrt(10)
	}
	r := run(t, scenario(t, w))
	if _, ok := r.Metric("theory-mean-wait-sec"); !ok || metric(t, r, "oracle-max-diff-sec") != 0 ||
		metric(t, r, "blocked/op") != 0 || r.Verdict != result.Valid {
		t.Errorf("%s: %v, %v", r.Name, r.Verdict, r.Reasons)
	}
	checkNear(t, r, "mean-wait-sec", metric(t, r, "theory-mean-wait-sec"), tolerance)
	w.Queue, w.Tasks = bench.NoQueue, w.Tasks/10
	r = run(t, scenario(t, w))
	for _, unit := range []string{"theory-mean-wait-sec", "theory-short-mean-response-sec",
		"oracle-mean-wait-sec"} {
		if v, ok := r.Metric(unit); ok {
			t.Errorf("%s: %s is %v", r.Name, unit, v)
		}
	}
	if !slices.ContainsFunc(r.Reasons,
		func(r result.Reason) bool { return r.Check == "full queue" }) ||
		metric(t, r, "blocked/op") < 0.1 || metric(t, r, "mean-blocked-sec") < 1e-4 {
		t.Errorf("%s: blocked/op %v, %v", r.Name, metric(t, r, "blocked/op"), r.Reasons)
	}
}
