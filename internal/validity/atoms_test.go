package validity_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
)

type p99Result struct {
	value, low, high, needed float64
	marked                   bool
}

func (p p99Result) half() float64 { return max(p.high-p.value, p.value-p.low) / p.value }

func p99Of(t *testing.T, w bench.Encoded) (p p99Result) {
	t.Helper()
	r := calculated(t, scenario(t, w))
	p.value, _ = r.Metric("p99-response-sec")
	p.needed, _ = r.Metric("needed-tasks")
	p.low, p.high = p.value, p.value // many tasks have this value, so it is exact
	if low, ok := r.Metric("p99-response-low-sec"); ok {
		p.low = low
		p.high, _ = r.Metric("p99-response-high-sec")
	} else if _, ok := r.Metric("p99-response-ess"); !ok {
		t.Fatalf("%s: no interval", r.Name)
	}
	p.marked = slices.ContainsFunc(r.Uncertain, func(m result.Metric) bool {
		return m.Unit == "p99-response-sec" || m.Unit == "p99-service-sec"
	})
	return p
}

// If tasks have two times and almost none waits, the p99 is the time of a long task if more than
// 1 % are long, otherwise of a short one. The number of tasks decides only how near to 1 % the
// share may be. Of n tasks, the share of long ones p has a standard error of √(p(1−p)/n): with
// 18,000 tasks 0.0010 for 2 %, which is far from 1 %, and 0.0008 for 1.1 %, which is not.
func TestTwoTaskTimes(t *testing.T) {
	t.Parallel()
	const seeds = 12
	for _, pool := range []bench.Encoded{{Load: 0.18, Limit: 16}, {Load: 0.5, Limit: 16},
		{Load: 0.5, Limit: 30}} {
		for _, c := range []struct {
			long   float64
			tasks  int
			exact  float64
			narrow bool
		}{
			{0.05, 20_000, 0.4, true},
			{0.02, 20_000, 0.4, true},
			{0.02, 100_000, 0.4, true},
			{0.015, 20_000, 0.4, true},
			{0.011, 20_000, 0.4, false},
			{0.011, 200_000, 0.4, true},
			{0.01, 20_000, 0, false},
			{0.01, 200_000, 0, false},
			{0.005, 20_000, 0.04, true},
		} {
			if testing.Short() && (pool.Limit > 16 || c.tasks > 20_000) {
				continue
			}
			if c.exact < 0.4 && pool.Load > 0.18 && pool.Limit == 16 {
				continue // short tasks that wait are a few percent of all
			}
			w := pool
			w.Workload = fmt.Sprintf("bimodal:p=%v,short=40ms,long=400ms", c.long)
			w.Tasks, w.Warmup = c.tasks, 0.1
			measured, held, wide := 0.9*float64(c.tasks), 0, 0
			for seed := range uint64(seeds) {
				w.Seed = seed*7919 + 1
				p := p99Of(t, w)
				name := fmt.Sprintf("load %v, limit %d, %v long, %d tasks, seed %d: %+v", pool.Load,
					pool.Limit, c.long, c.tasks, seed, p)
				if p.half() > 0.1 {
					wide++
					if p.needed > 0 && p.needed <= measured {
						t.Errorf("%s: wide, although the needed tasks were run", name)
					}
				}
				if p.low <= c.exact && c.exact <= p.high {
					held++
				}
				if c.narrow && p.half() <= 0.1 && p.needed > measured {
					t.Errorf("%s: narrow, although more tasks are needed", name)
				}
				if p.marked == c.narrow { // the plan decides, not the run
					t.Errorf("%s: marked as uncertain %v", name, p.marked)
				}
				if !c.narrow && p.needed > 0 && p.needed <= measured {
					t.Errorf("%s: want a larger number of needed tasks, or 0", name)
				}
			}
			if c.exact > 0 && held < seeds-1 {
				t.Errorf("load %v, %v long, %d tasks: %d of %d intervals contain %v s", pool.Load,
					c.long, c.tasks, held, seeds, c.exact)
			}
			// If the needed tasks were run, the interval of 1 run in 40 is wide.
			if !c.narrow && wide < seeds/3 || c.narrow && wide > 1 {
				t.Errorf("load %v, %v long, %d tasks: %d of %d intervals are wide", pool.Load, c.long,
					c.tasks, wide, seeds)
			}
		}
	}
}

// The default number of tasks suffices for the interval, and near 1 % it is larger.
func TestEnoughForTwoTaskTimes(t *testing.T) {
	t.Parallel()
	for long, most := range map[float64]int{0.02: 20_000, 0.005: 20_000, 0.012: 75_000,
		0.011: 300_000} {
		w := bench.Encoded{Load: 0.18, Limit: 16,
			Workload: fmt.Sprintf("bimodal:p=%v,short=40ms,long=400ms", long)}
		w.Tasks = bench.Suite{Scenarios: []bench.Scenario{scenario(t, w)}}.EnoughTasks()
		if w.Tasks > most || long < 0.0121 && long > 0.01 && w.Tasks <= 20_000 {
			t.Errorf("%v long: %d tasks, want at most %d", long, w.Tasks, most)
		}
		for seed := range uint64(3) {
			w.Warmup, w.Seed = 0.1, seed
			if p := p99Of(t, w); p.half() > 0.08 {
				t.Errorf("%v long, %d tasks: %+v", long, w.Tasks, p)
			}
		}
	}
}
