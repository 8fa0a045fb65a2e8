package bench

import (
	"fmt"
	"math"
	"strings"
)

// LeastTasks is how many measured tasks a run needs for a metric to be told: those that its
// quantile takes; 0 for a metric that is none.
func LeastTasks(unit string) int {
	if strings.HasPrefix(unit, "theory-") || strings.Contains(unit, "hiccup") {
		return 0 // of no task
	}
	for _, q := range quantiles {
		if strings.Contains("-"+unit, "-"+q.name+"-") {
			n := int(math.Log(0.025) / math.Log(q.p))
			for !resolvable(q.p, n) {
				n++
			}
			return n
		}
	}
	return 0
}

// Resolves reports, before anything is run, that no run of the scenario can tell the metric, since
// its tasks are too few. Where a duration decides how many there are, twice the expected number has
// to be; what clients of a closed loop get done nobody knows.
func (s Scenario) Resolves(unit string) error {
	s = s.withDefaults()
	least := LeastTasks(unit)
	n, how := s.Stop.Tasks, fmt.Sprintf("n %d", s.Stop.Tasks)
	if n == 0 {
		if s.Load.Arrival.IsClosed() {
			return nil
		}
		tasks, _ := s.expected()
		n, how = int(min(2*tasks+1, 1e9)),
			fmt.Sprintf("duration %v, with some %.3g tasks,", s.Stop.Duration, tasks)
	}
	left := func(n int) int { return n - int(s.Stop.Warmup*float64(n)) }
	if left(n) >= least {
		return nil
	}
	enough := least
	for left(enough) < least {
		enough++
	}
	return fmt.Errorf("%s takes %d tasks after the warm-up, and %s has too few: give n %d", unit,
		least, how, enough)
}
