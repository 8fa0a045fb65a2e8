package bench

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

func virtualScenario(strategy, workload, arrival string, limit int, load float64, n int) Scenario {
	return Scenario{Strategy: strategies.MustParse(strategy), Limit: limit,
		Workload: workloads.MustParse(workload), Clock: Virtual,
		Load: Load{Arrival: arrivals.MustParse(arrival), Relative: load},
		Stop: Stop{Tasks: n, Warmup: 0.1}}
}

// marksOf returns the uncertain units and whether the p99 has an interval.
func marksOf(t *testing.T, s Scenario) (units []string, interval bool) {
	t.Helper()
	r, known, err := s.Calculate()
	if err == nil && !known {
		r, err = Run(t.Context(), s)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Uncertain {
		units = append(units, m.Unit)
	}
	_, interval = r.Metric("p99-response-low-sec")
	return units, interval
}

func TestBurstsDecideByPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	seeds := uint64(8)
	for _, c := range []struct {
		arrival          string
		n                int
		interval, marked bool
	}{
		{"mmpp:ratio=3,high=100ms,low=300ms", 20_000, false, true},
		{"mmpp:ratio=3,high=20ms,low=60ms", 60_000, true, false},
		{"onoff:on=500ms,off=500ms", 20_000, false, true},
	} {
		for seed := range seeds {
			s := virtualScenario("worker_pool", "exponential:mean=10ms", c.arrival, 4, 0.5, c.n)
			s.Seed = seed
			marks, interval := marksOf(t, s)
			if marked := slices.Contains(marks, "p99-response-sec"); interval != c.interval ||
				marked != c.marked {
				t.Errorf("%s, %d tasks, seed %d: an interval %v, marked %v", c.arrival, c.n, seed,
					interval, marked)
			}
		}
	}
}

func TestMarksLongTails(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, c := range []struct {
		s          Scenario
		marked, no []string
	}{
		{virtualScenario("worker_pool", "lognormal:mean=10ms,c2=9", "poisson", 2, 0.6, 8000),
			[]string{"p99-response-sec", "p99.9-response-sec", "mean-wait-sec"},
			[]string{"p50-service-sec", "p90-service-sec"}},
		{virtualScenario("shortest_first", "hyperexp:mean=10ms,c2=9", "poisson", 3, 0.8, 20_000),
			[]string{"p99-response-sec", "p99.9-response-sec"}, []string{"mean-service-sec"}},
		{virtualScenario("worker_pool", "exponential:mean=10ms", "poisson", 4, 0.5, 20_000),
			nil, []string{"p99-response-sec", "p99.9-response-sec", "mean-wait-sec"}},
	} {
		marks, _ := marksOf(t, c.s)
		for _, unit := range c.marked {
			if !slices.Contains(marks, unit) {
				t.Errorf("%s: %s is not marked, but %v", c.s.Name(), unit, marks)
			}
		}
		for _, unit := range c.no {
			if slices.Contains(marks, unit) {
				t.Errorf("%s: %s is marked", c.s.Name(), unit)
			}
		}
	}
}

// The default number of tasks must give the p99 an interval, and be equal in all scenarios of a
// suite.
func TestEnoughTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	pool := func(load float64) Scenario {
		return virtualScenario("worker_pool", "exponential:mean=10ms", "poisson", 4, load, 0)
	}
	of := func(count int, all ...Scenario) int {
		for i := range all {
			all[i].Stop = Stop{}
		}
		return Suite{Scenarios: all, Count: count}.EnoughTasks()
	}
	if n := of(1, pool(0.3)); n != 20_000 {
		t.Errorf("load 0.3: %d tasks", n)
	}
	busy := pool(0.85)
	n := of(1, busy)
	if n < 100_000 || n > 1_000_000 {
		t.Errorf("load 0.85: %d tasks", n)
	}
	busy.Stop = Stop{Tasks: n, Warmup: 0.1}
	if marks, interval := marksOf(t, busy); !interval ||
		slices.Contains(marks, "p99-response-sec") {
		t.Errorf("load 0.85, %d tasks: an interval %v, marked %v", n, interval, marks)
	}
	if both := of(1, pool(0.3), pool(0.85)); both != n {
		t.Errorf("loads 0.3 and 0.85: %d tasks, want %d", both, n)
	}
	if many := of(100, pool(0.85)); many != 30_000 {
		t.Errorf("100 repetitions: %d tasks", many)
	}
	overloaded, real := pool(1.2), pool(0.85)
	real.Clock = Real
	if n := of(1, overloaded, real); n != 20_000 {
		t.Errorf("overload, and the real clock: %d tasks", n)
	}
}
