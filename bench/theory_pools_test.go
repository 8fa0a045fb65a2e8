package bench

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/strategies"
)

// Arbitrary numbers that nothing was tuned for.
var offGrid = []Encoded{
	{Strategy: "priority", Workload: "priorities:shares=2:3:4,time=exp(7ms)", Limit: 3,
		Queue: 1_000_000, Load: 0.77},
	{Strategy: "segregated:short=1,long=3", Workload: "two_class:mean=2ms,r=17", Limit: 4,
		Queue: 1_000_000, Load: 0.45},
	{Strategy: "segregated:short=3,long=4", Workload: "bimodal:p=0.07,short=3ms,long=41ms",
		Limit: 7, Queue: 1_000_000, Load: 0.6},
	{Strategy: "ticker_limited:rate=130", Workload: "constant:mean=3ms", Limit: 64,
		Queue: 1_000_000, Rate: 71},
	{Strategy: "token_bucket:rate=130,burst=1", Workload: "constant:mean=1ms", Limit: 64,
		Queue: 1_000_000, Rate: 97},
	{Strategy: "token_bucket:rate=130,burst=7", Workload: "exponential:mean=11ms", Limit: 64,
		Queue: 1_000_000, Rate: 101},
	{Strategy: "priority", Workload: "priorities:shares=1:4,time=exp(3ms)", Limit: 1,
		Queue: 1_000_000, Load: 0.7},
	{Strategy: "priority", Workload: "priorities:shares=5:3,time=bimodal(0.1,1ms,9ms)", Limit: 1,
		Queue: 1_000_000, Load: 0.6},
	{Strategy: "priority:age=5ms", Workload: "priorities", Limit: 5, Queue: 1_000_000, Load: 0.7},
	{Strategy: "fair_share:weights=1:5", Workload: "tenants", Limit: 2, Queue: 1_000_000,
		Load: 0.65},
}

// Means must agree with theory within 5 standard errors of 16 runs. With Student's t, the 72
// comparisons have a false alarm with probability 1/80. With two processors the race detector would
// fail on late ticks (go.dev/issue/78156).
func TestTheoryOfArbitraryScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const runs = 16
	loads := offGrid
	for _, w := range loads {
		w.Target, w.Arrival, w.Clock, w.Tasks, w.Warmup = "none", "poisson", "virtual", 12_000, 0.1
		deviations := map[string][]float64{}
		for seed := range uint64(runs) {
			w.Seed = 100 + seed
			r := runWritten(t, w)
			for _, m := range r.Metrics {
				if of, ok := strings.CutPrefix(m.Unit, "theory-"); ok && m.Value > 0 {
					got, _ := r.Metric(of)
					deviations[of] = append(deviations[of], got/m.Value-1)
				}
			}
		}
		for _, must := range []string{"mean-wait-sec", "waited/op", "ops/s"} {
			if len(deviations[must]) != runs {
				t.Errorf("%s: theory says nothing of %s", w.Strategy, must)
			}
		}
		for of, all := range deviations {
			var mean, squares float64
			for _, d := range all {
				mean += d / float64(len(all))
			}
			for _, d := range all {
				squares += (d - mean) * (d - mean)
			}
			se := math.Sqrt(squares / float64(len(all)-1) / float64(len(all)))
			t.Logf("%s: %s %+.2f %% ± %.2f %%", w.Strategy, of, 100*mean, 100*se)
			const rounding = 1e-12 // floating-point rounding, because se may be 0
			if math.Abs(mean) > 5*se+rounding {
				t.Errorf("%s, %s: %s is off by %.2f %% ± %.2f %%", w.Strategy, w.Workload, of,
					100*mean, 100*se)
			}
		}
	}
}

// A class pool may be overloaded at a total load below 1.
func TestOverloadedPool(t *testing.T) {
	w := Encoded{Strategy: "segregated:short=3,long=1", Workload: "two_class:mean=2ms,r=17",
		Target: "none", Arrival: "poisson", Clock: "virtual", Limit: 4, Queue: 1_000_000, Load: 0.7,
		Tasks: 5000, Seed: 1}
	r := runWritten(t, w)
	found := false
	for _, reason := range r.Reasons {
		found = found || reason.Check == rundir.CheckOverload &&
			strings.Contains(reason.Text, "long tasks is 1.4 times")
	}
	if _, known := r.Metric("theory-mean-wait-sec"); !found || known {
		t.Errorf("%v; theory %v", r.Reasons, known)
	}
	w.Load = 0.3
	for _, reason := range runWritten(t, w).Reasons {
		if reason.Check == rundir.CheckOverload {
			t.Errorf("at a load of 0.3: %v", reason)
		}
	}
}

func TestBoundBeyondLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, extra := range []int{-2, 0, 3} {
		slots := func(p strategies.Params) int { return p.Limit + extra }
		spec := strategies.Spec{Name: "more", Bound: slots, Capacity: slots, FIFO: true,
			WorkConserving: true,
			New: func(ctx context.Context, p strategies.Params,
				sink strategies.Sink) strategies.Strategy {
				p.Limit = slots(p)
				return strategies.MustParse("semaphore").Spec.New(ctx, p, sink)
			}}
		r, err := Run(t.Context(), Scenario{Strategy: strategies.Variant{Spec: spec},
			Load: Load{Relative: 0.45}, Stop: Stop{Tasks: 20_000}, Seed: 1, Clock: Virtual})
		if err != nil {
			t.Fatal(err)
		}
		want, err := theory.MMk(theory.Pool{Rate: 180, MeanService: 0.01, Limit: 4 + extra})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := r.Metric("theory-mean-wait-sec"); math.Abs(got/want.MeanWait-1) > 1e-9 ||
			slices.ContainsFunc(r.Reasons, func(r result.Reason) bool { return r.Check == "theory" }) {
			t.Errorf("%d slots: a mean wait of %v, want %v; %v", 4+extra, got,
				want.MeanWait, r.Reasons)
		}
	}
}

func runWritten(t *testing.T, w Encoded) *Result {
	t.Helper()
	s, err := w.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
