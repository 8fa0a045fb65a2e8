package bench_test

import (
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/strategies"
)

// One worker with 40 ms limits the throughput to 25/s, whatever the limit of the work. A thousand
// tasks take 10 ms + 1000·40 ms.
func TestPipelineBottleneck(t *testing.T) {
	for _, strategy := range []string{"pipeline:stages=work+1(40ms)",
		"retry+pipeline:stages=work+1(40ms)"} {
		for _, limit := range []int{3, 8} {
			r := run(t, scenario(t, bench.Encoded{Strategy: strategy, Limit: limit,
				Workload: "constant:mean=10ms", Arrival: "batch", Tasks: 1000, Clock: "virtual"}))
			const makespan = 40.01
			for unit, want := range map[string]float64{"makespan-sec": makespan,
				"ops/s": 1000 / makespan, "bottleneck-stage": 2,
				"bottleneck-utilisation": 40 / makespan,
				"pipeline-1-utilisation": 10 / (float64(limit) * makespan),
				"pipeline-2-utilisation": 40 / makespan} {
				if got := metric(t, r, unit); math.Abs(got-want) > 1e-9*want {
					t.Errorf("%s, limit %d: %s %v, want %v", strategy, limit, unit, got, want)
				}
			}
		}
	}
	r := run(t, scenario(t, bench.Encoded{Strategy: "pipeline", Arrival: "batch", Tasks: 10}))
	if _, ok := r.Metric("bottleneck-stage"); ok {
		t.Error("a pipeline without further stages has a bottleneck")
	}
}

// The classic stages take 1 ms, the work (here 10 ms), and 2 ms. Up to a limit of 5 the work is the
// bottleneck, then the last stage with 500/s.
func TestPipelineBottleneckMoves(t *testing.T) {
	for limit, want := range map[int]struct{ stage, rate float64 }{3: {2, 300}, 4: {2, 400},
		6: {3, 500}, 20: {3, 500}} {
		r := run(t, scenario(t, bench.Encoded{Strategy: "pipeline:stages=classic", Limit: limit,
			Workload: "constant:mean=10ms", Arrival: "batch", Tasks: 10_000, Clock: "virtual"}))
		stage, rate := metric(t, r, "bottleneck-stage"), metric(t, r, "ops/s")
		if stage != want.stage || math.Abs(rate/want.rate-1) > 0.002 {
			t.Errorf("limit %d: stage %v is the bottleneck, %v per second", limit, stage, rate)
		}
	}
}

// With Poisson arrivals, exponential times and buffers that are never full, each stage is an M/M/c
// queue (Burke 1956, Jackson 1957), so their mean responses add up.
func TestPipelineIsATandem(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Parallel()
	tasks, errors := 400_000, 1.0
	if race.Enabled {
		tasks, errors = tasks/10, math.Sqrt(10)
	}
	const rate = 120
	for strategy, stages := range map[string][]theory.Pool{
		"pipeline:stages=2(exp(10ms))+work+1(exp(5ms)),buffer=1000000": {
			{Rate: rate, MeanService: 0.01, Limit: 2}, {Rate: rate, MeanService: 0.02, Limit: 4},
			{Rate: rate, MeanService: 0.005, Limit: 1}},
		"pipeline:stages=work+1(exp(6ms))+3(exp(15ms)),buffer=1000000": {
			{Rate: rate, MeanService: 0.02, Limit: 4}, {Rate: rate, MeanService: 0.006, Limit: 1},
			{Rate: rate, MeanService: 0.015, Limit: 3}},
	} {
		exact := 0.0
		for _, pool := range stages {
			answer, err := theory.MMk(pool)
			if err != nil {
				t.Fatal(err)
			}
			exact += answer.MeanResponse
		}
		r := run(t, scenario(t, bench.Encoded{Strategy: strategy, Limit: 4,
			Workload: "exponential:mean=20ms", Rate: rate, Tasks: tasks, Warmup: 0.1, Seed: 1,
			Clock: "virtual"}))
		checkNear(t, r, "mean-response-sec", exact, 0.03*errors)
		if r.Verdict != result.Valid {
			t.Errorf("%s is %v: %v", strategy, r.Verdict, r.Reasons)
		}
		for i, pool := range stages {
			unit := []string{"pipeline-1-utilisation", "pipeline-2-utilisation",
				"pipeline-3-utilisation"}[i]
			checkNear(t, r, unit, pool.Utilisation(), 0.02*errors)
		}
	}
}

// The load refers to the work, so another stage may be overloaded.
func TestPipelineOverload(t *testing.T) {
	for text, want := range map[string]string{
		"pipeline:stages=work+1(40ms)": "stage 2 of 2, 1(40ms), can do 25 tasks per second, but " +
			"280 arrive, so its queue grows until the run ends: give a rate below its capacity",
		"pipeline:stages=work+20(40ms)": "",
	} {
		r := run(t, scenario(t, bench.Encoded{Strategy: text, Limit: 4,
			Workload: "constant:mean=10ms", Load: 0.7, Tasks: 2000, Clock: "virtual"}))
		var why string
		for _, reason := range r.Reasons {
			if strings.Contains(reason.Text, "stage") {
				why = reason.Text
			}
		}
		if why != want {
			t.Errorf("%s: %q, want %q", text, why, want)
		}
	}
}

func TestPipelineSeed(t *testing.T) {
	mean := func(seed uint64) float64 {
		return metric(t, run(t, scenario(t, bench.Encoded{Limit: 4, Seed: seed, Tasks: 100,
			Strategy: "pipeline:stages=work+1(exp(40ms))", Workload: "constant:mean=10ms",
			Arrival: "batch", Clock: "virtual"})), "mean-response-sec")
	}
	if a, b, c := mean(1), mean(1), mean(2); a != b || a == c {
		t.Errorf("mean responses %v, %v with the same seed, %v with another", a, b, c)
	}
}

// A variant not created by Parse must have stages, too.
func TestPipelineOfALiteral(t *testing.T) {
	s := scenario(t, bench.Encoded{Strategy: "pipeline:stages=work+1(40ms)", Limit: 3,
		Workload: "constant:mean=10ms", Arrival: "batch", Tasks: 100, Clock: "virtual"})
	spec, err := strategies.Lookup("pipeline")
	if err != nil {
		t.Fatal(err)
	}
	s.Strategy.Spec = spec
	if _, follows := s.FollowsPlan(); follows {
		t.Error("it follows the plan of a single queue")
	}
	if stage := metric(t, run(t, s), "bottleneck-stage"); stage != 2 {
		t.Errorf("stage %v is the bottleneck", stage)
	}
}
