package advise

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"

	"github.com/poolbench/poolbench/internal/machine/race"
)

func steadyAt(
	strategy, work, target, arrival string, rate float64, limit, tasks int,
) bench.Scenario {
	return bench.Scenario{Strategy: strategies.MustParse(strategy),
		Workload: workloads.MustParse(work), Target: targets.MustParse(target), Limit: limit,
		Seed:  3,
		Load:  bench.Load{PerSecond: rate, Arrival: arrivals.MustParse(arrival)},
		Clock: bench.Virtual, Stop: bench.Stop{Tasks: tasks, Warmup: 0.1}}
}

// The recursion must equal a run exactly.
func TestLongRunConfirmed(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	if race.Enabled {
		t.Skip("package bench has the same runs under the race detector")
	}
	wanted := list(t, "p99-response<1s,mean-wait<1s,p90-wait<1s")
	strategies := []string{"semaphore", "worker_pool", "bounded_queue_shed", "token_bucket:rate=250",
		"ticker_limited:rate=250"}
	for i, strategy := range strategies {
		for _, target := range []string{"none", "token_bucket:rate=260,burst=10",
			"leaky_bucket:rate=260,queue=5", "fixed_window:limit=260,window=1s"} {
			for _, arrival := range []string{"poisson", "bulk:n=10",
				"mmpp:ratio=3,high=100ms,low=300ms"} {
				if arrival == "bulk:n=10" && target != "none" {
					continue // which simultaneous task is throttled is not specified
				}
				sc := steadyAt(strategy, "lognormal:mean=20ms,c2=4", target, arrival, 200, 6,
					4000+i)
				l, err := NewLongRun(sc, wanted, 5000)
				if err != nil {
					t.Fatal(err)
				}
				if target != "none" && sc.Strategy.Spec.Sheds {
					continue // the recursion supports shedding or a target, not both
				}
				run, err := bench.Run(t.Context(), sc)
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := l.At(sc, []*bench.Result{run}); !ok {
					t.Errorf("%s, target %s, %s arrivals: the run differs from the recursion", strategy,
						target, arrival)
				}
				other := *run
				other.Seed++
				if _, ok := l.At(sc, []*bench.Result{&other}); ok {
					t.Errorf("%s, target %s: another run is taken for it", strategy, target)
				}
			}
		}
	}
}

// Delays of the target make a pool of 2 unstable, although its load is below 2.
func TestUnstableByGrowth(t *testing.T) {
	wanted := list(t, "p99-response<800ms")
	for limit, want := range map[int]bool{2: true, 3: false} {
		sc := steadyAt("semaphore", "hyperexp:mean=20ms,c2=4", "leaky_bucket:rate=100,queue=5",
			"poisson", 85, limit, 4000)
		l, err := NewLongRun(sc, wanted, 200_000)
		if err != nil {
			t.Fatal(err)
		}
		figures, ok := l.At(sc, nil)
		if !ok || figures[0].Known() == want {
			t.Errorf("limit %d: %+v", limit, figures)
		}
	}
}

// The load is 1.97 slots. Freezes of the target leave less than 2, which short runs do not show.
func TestFrozenTarget(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	q := asked(t, "exponential:mean=23ms", 85.6, "p99-response<27s")
	q.Scenario.Target = targets.MustParse("freeze:period=2s,stop=168ms")
	q.Strategies = []strategies.Variant{strategies.MustParse("semaphore")}
	a := answered(t, q)
	if best := a.Recommendation; a.Verdict != Meets || best.Limit != 3 || a.Below.Unstable == "" {
		t.Errorf("%s: limit %d, one less is %+v", a.Verdict, best.Limit, a.Below)
	}
}

// Recorded tasks cannot be split.
func TestRecordedIsWhole(t *testing.T) {
	q := recordedIn(t, 3000, time.Second)
	q.Strategies = append(q.Strategies, strategies.MustParse("partitioned_all_at_once"),
		strategies.MustParse("partitioned"))
	a := answered(t, q)
	const want = "partitioned_all_at_once, partitioned: a recorded task cannot be split"
	if !slices.Contains(a.NotLooked, want) {
		t.Errorf("not looked at: %q", a.NotLooked)
	}
	for _, o := range append(a.RunnersUp, a.Recommendation) {
		if strings.HasPrefix(o.Strategy.String(), "partitioned") {
			t.Errorf("%s comes to %+v", o.Strategy, o.Promise)
		}
	}
}

// If a composition is equal to a pool, the simpler pool must win.
func TestTie(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for seed := range uint64(8) {
		q := asked(t, "hyperexp:mean=20ms,c2=4", 85, "p99-response<800ms")
		q.Scenario.Target = targets.MustParse("leaky_bucket:rate=100,queue=5")
		q.Scenario.Seed = seed + 1
		a := answered(t, q)
		best := a.Recommendation
		if best.Strategy.String() != "semaphore" || best.Limit != 3 || a.Verdict != Meets {
			t.Errorf("seed %d: %s %s with a limit of %d", seed+1, a.Verdict, best.Strategy, best.Limit)
		}
		if a.Below == nil || a.Below.Unstable == "" || a.Below.Promise.Known() {
			t.Errorf("seed %d: one less comes to %+v", seed+1, a.Below)
		}
		for _, s := range best.Stresses {
			if s.Name == "load x1.25" && (!s.Unstable || s.Figure.Known()) {
				t.Errorf("seed %d: %+v", seed+1, s)
			}
		}
		for _, o := range a.RunnersUp {
			if o.Limit == best.Limit && o.Promise == best.Promise && !o.Same {
				t.Errorf("seed %d: %s comes to the same, and is not called so", seed+1, o.Strategy)
			}
		}
	}
}

func TestSmallBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	q := asked(t, "exponential:mean=20ms", 200, "p99.9-response<2s")
	q.Scenario.Target = targets.MustParse("token_bucket:rate=250,burst=10")
	a := answered(t, q)
	if a.Verdict != Meets {
		t.Errorf("%s", a.Verdict)
	}
	for _, left := range a.NotLooked {
		if strings.Contains(left, ": the budget is too small: give --budget ") {
			return
		}
	}
	t.Errorf("not looked at: %q", a.NotLooked)
}
