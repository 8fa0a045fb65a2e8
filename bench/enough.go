package bench

import (
	"math"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/validity"
	"github.com/poolbench/poolbench/strategies"
)

// Bounds of the default number of tasks under the virtual clock. They count tasks, not time, so a
// command gives the same results on any machine. They limit the CPU time to 10 s, at 3 µs for a
// task of a run and 0.15 µs for a task of a forecast.
const (
	enoughError  = 0.08
	maxTasks     = 1_000_000 // per run
	maxOfSuite   = 3_000_000 // per suite
	maxPlanned   = 8_000_000 // for all forecasts of a suite
	maxForecast  = 2_000_000 // per forecast
	minForecast  = 100_000
	fewScenarios = 8 // in a larger suite only one strategy per plan has a forecast
)

// EnoughTasks returns the default number of tasks of each run of the suite, for which the p99
// response of every scenario has a confidence interval of at most ±8 %, limited by the cost of the
// suite. Without a virtual clock and a stationary open load it is the default of a Scenario.
func (s Suite) EnoughTasks() int {
	var chosen []Scenario
	chosenOf := map[string]int{}
	for _, sc := range s.Scenarios {
		sc = sc.withDefaults()
		like := sc
		like.Strategy, like.Queue = strategies.Variant{}, 0
		name := like.Name()
		i, seen := chosenOf[name]
		switch {
		case !seen || len(s.Scenarios) <= fewScenarios:
			chosenOf[name] = len(chosen)
			chosen = append(chosen, sc)
		case !followsPlan(chosen[i]) && followsPlan(sc):
			chosen[i] = sc
		}
	}
	most := min(max(maxPlanned/max(len(chosen), 1), minForecast), maxForecast)
	needed := 0.0
	for _, sc := range chosen {
		needed = max(needed, sc.tasksFor(enoughError, most))
	}
	bound := min(float64(maxOfSuite)/float64(max(s.Runs(), 1)), maxTasks)
	n := roundUp(needed)
	for n > bound {
		n = roundDown(n)
	}
	return int(max(n, float64(defaultStop.Tasks)))
}

func followsPlan(s Scenario) bool {
	_, yes := s.FollowsPlan()
	return yes
}

// tasksFor returns the number of tasks, including the warm-up, for which p99 has the relative error
// share, or 0 if the plan does not determine it.
func (s Scenario) tasksFor(share float64, most int) float64 {
	w := s.waits()
	if w == nil || s.Clock != Virtual {
		return 0
	}
	p := s.described()
	o := &observe.Run{Plan: p, Workload: w, Mean: w.Mean(), Pools: p.Pools()}
	n, ok := validity.TasksFor(o, share, most)
	if !ok {
		return 0
	}
	return n / (1 - s.Stop.Warmup)
}

var steps = [...]float64{1, 1.5, 2, 3, 5, 7.5}

func roundUp(n float64) float64 {
	if n <= 1 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(n)))
	for _, s := range steps {
		if s*unit >= n {
			return s * unit
		}
	}
	return 10 * unit
}

// n is a round number. The result is less than n.
func roundDown(n float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(n)+1e-9))
	below := unit / 10 * steps[len(steps)-1]
	for _, s := range steps {
		if s*unit < n*(1-1e-9) {
			below = s * unit
		}
	}
	return below
}
