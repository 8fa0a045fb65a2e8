package bench

import (
	"math"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/validity"
	"github.com/poolbench/poolbench/strategies"
)

// Bounds of the default number of tasks under the virtual clock. They are numbers of tasks, not
// times, so that a command gives the same results on any machine. With its part of the report a
// task of a run takes about 3 µs, and one of a forecast 0.15 µs: 10 s of one processor in all.
const (
	enoughError   = 0.08      // 95 % error of the p99 response
	mostTasks     = 1_000_000 // of a run
	mostOfSuite   = 3_000_000 // of all runs
	mostPlanned   = 8_000_000 // of all forecasts
	mostForecast  = 2_000_000 // of a forecast
	leastForecast = 100_000
	fewScenarios  = 8 // up to so many each has a forecast; of more, one strategy of each plan
)

// EnoughTasks returns how many tasks each run of the suite should have if nobody says how many: the
// number by which the p99 response of every scenario is within ±8 % and has an interval, rounded
// up, at least the default of a Scenario and at most what the whole suite may take. It depends on
// the plans alone, and it is the same for all scenarios, so that they stay comparable. Under the
// real clock, in closed loops, and for batches, stages and traces it is the default.
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
		case !follows(chosen[i]) && follows(sc):
			chosen[i] = sc
		}
	}
	most := min(max(mostPlanned/max(len(chosen), 1), leastForecast), mostForecast)
	needed := 0.0
	for _, sc := range chosen {
		needed = max(needed, sc.tasksFor(enoughError, most))
	}
	bound := min(float64(mostOfSuite)/float64(max(s.Runs(), 1)), mostTasks)
	n := friendly(needed)
	for n > bound {
		n = friendlyBelow(n)
	}
	return int(max(n, float64(defaultStop.Tasks)))
}

func follows(s Scenario) bool {
	_, yes := s.FollowsPlan()
	return yes
}

// tasksFor returns how many tasks, warm-up included, a run needs for that error of the p99; 0 if
// its plan does not tell.
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

// steps are the leading digits of friendly numbers.
var steps = [...]float64{1, 1.5, 2, 3, 5, 7.5}

// friendly returns the least number with such digits that is not below n.
func friendly(n float64) float64 {
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

// friendlyBelow returns the greatest such number below n, which is one.
func friendlyBelow(n float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(n)+1e-9))
	below := unit / 10 * steps[len(steps)-1]
	for _, s := range steps {
		if s*unit < n*(1-1e-9) {
			below = s * unit
		}
	}
	return below
}
