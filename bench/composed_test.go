package bench_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench"
)

func runComposed(t *testing.T, strategy, target string) *bench.Result {
	t.Helper()
	sc, err := bench.Encoded{Strategy: strategy, Workload: "two_class", Target: target,
		Arrival: "poisson", Limit: 4, Rate: 240, Tasks: 5000, Seed: 1,
		Clock: "virtual"}.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	again, err := sc.Encode().Scenario()
	if err != nil || again.Name() != sc.Name() {
		t.Errorf("%s is handed over as %s, %v", sc.Name(), again.Name(), err)
	}
	if want := "/strategy=" + strategy + "/"; !strings.Contains(sc.Name(), want) {
		t.Errorf("the name %s has no %s", sc.Name(), want)
	}
	r, err := bench.Run(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Broken) > 0 {
		t.Errorf("%s breaks %q", r.Name, r.Broken)
	}
	return r
}

func TestComposedRuns(t *testing.T) {
	for i, strategy := range []string{
		"retry:attempts=5+token_bucket:rate=300,burst=2+worker_pool",
		"token_bucket:rate=1e+21+retry_in_place+semaphore",
		"retry+codel_lifo:queue=30+ticker_limited:rate=300+dispatcher",
		"segregated:short=2+retry:budget=0.1+semaphore",
		"cpu_io_split:cpu=1+bounded_queue_shed:queue=8+worker_pool",
	} {
		if testing.Short() && i%2 != 0 {
			continue
		}
		runComposed(t, strategy, "none")
		runComposed(t, strategy, "token_bucket:rate=200,burst=5")
	}
}

func TestComposedRateOfTarget(t *testing.T) {
	const target = "token_bucket:rate=200,burst=5"
	follows := runComposed(t, "retry+token_bucket:rate=target,burst=1+worker_pool", target)
	same := runComposed(t, "retry+token_bucket:rate=200,burst=1+worker_pool", target)
	if diff := cmp.Diff(same.Metrics, follows.Metrics); diff != "" {
		t.Errorf("not as with the number: %s", diff)
	}
}

// The theory covers one rate limit, so it predicts nothing for two.
func TestComposedRates(t *testing.T) {
	t.Parallel()
	for strategy, known := range map[string]bool{
		"ticker_limited:rate=20+worker_pool":                              true,
		"token_bucket:rate=15,burst=5+ticker_limited:rate=20+worker_pool": false,
		"token_bucket:rate=20,burst=5+ticker_limited:rate=15+worker_pool": false,
	} {
		s := scenario(t, bench.Encoded{Strategy: strategy, Workload: "constant:mean=1ms",
			Arrival: "poisson", Limit: 20, Rate: 10, Tasks: 2000})
		_, claims := run(t, s).Metric("theory-mean-wait-sec")
		if claims != known {
			t.Errorf("%s: theory claims a wait: %v", strategy, claims)
		}
	}
}

// The theory covers class pools only if they never lose a task.
func TestComposedShedsInPools(t *testing.T) {
	claims := func(strategy string) (n int) {
		for _, m := range runComposed(t, strategy, "none").Metrics {
			if strings.HasPrefix(m.Unit, "theory-") {
				n++
			}
		}
		return n
	}
	if n := claims("segregated+worker_pool"); n == 0 {
		t.Error("no exact values of class pools that never shed")
	}
	if n := claims("segregated+bounded_queue_shed:queue=4+worker_pool"); n > 0 {
		t.Errorf("%d exact values of class pools that shed", n)
	}
}

func TestHedgedRun(t *testing.T) {
	const tasks = 5000
	metric := func(r *bench.Result, unit string) float64 {
		v, ok := r.Metric(unit)
		if !ok {
			t.Errorf("%s: no %s", r.Name, unit)
		}
		return v
	}
	const target = "flaky:errors=0,spikes=0.02,spike=400ms,draw=call"
	plain := runComposed(t, "unbounded", target)
	r := runComposed(t, "hedged:after=150ms,budget=0.1+unbounded", target)
	hedges, wins := metric(r, "hedges"), metric(r, "hedge-wins")
	if hedges < 50 || wins < 50 || wins >= hedges {
		t.Errorf("%v of %v second attempts won", wins, hedges)
	}
	if got := metric(r, "admitted-calls") + metric(r, "abandoned-calls"); got != tasks+hedges {
		t.Errorf("the target had %v calls, of %d tasks and %v second attempts", got, tasks, hedges)
	}
	before, after := metric(plain, "p99-response-sec"), metric(r, "p99-response-sec")
	if before < 0.4 || after > 0.3 {
		t.Errorf("the p99 was %v, and is %v", before, after)
	}
}
