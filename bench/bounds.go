package bench

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/workloads"
)

// leastRelative is the least load: below it the rate is a slip of the keyboard.
const leastRelative = 1e-6

// deviations are the standard deviations by which the work of a run may exceed its mean, so that it
// stays in bounds.
const deviations = 10

// outOfBounds is what Validate says of the size of the plan. w is nil where the workload is too
// dear to be built for a look.
func (s Scenario) outOfBounds(w workloads.Workload) (complaints []error) {
	rate := s.Load.PerSecond
	if l := s.Load.Relative; l != 0 && !(l >= leastRelative && l <= 1000) {
		return []error{fmt.Errorf("load %v: want %v to 1000, 1 being the capacity",
			l, leastRelative)}
	}
	if w != nil && s.Load.Relative != 0 && w.Mean() > 0 {
		// more than one in a nanosecond are as good as all at once
		rate = min(s.rate(w.Mean()), arrivals.MostRate)
		if !(rate >= arrivals.LeastRate) {
			return []error{fmt.Errorf("load %v: at limit %d and %v a task this is a rate of %.3g "+
				"per second; want %v at least",
				s.Load.Relative, s.Limit, w.Mean(), rate, arrivals.LeastRate)}
		}
	}
	if complaints = s.Load.Arrival.CheckPlan(rate, s.Stop.Tasks,
		s.Stop.Duration); len(complaints) > 0 || w == nil {
		return complaints
	}
	tasks := float64(s.Stop.Tasks)
	if tasks == 0 {
		tasks = rate * s.Stop.Duration.Seconds()
	}
	if endless(w) {
		if work := tasks * s.Timeout.Seconds(); work > arrivals.MaxSpan.Seconds() {
			complaints = append(complaints, fmt.Errorf("timeout %v: %.3g tasks that end only by "+
				"it take longer than the ten years that a run may have", s.Timeout, tasks))
		}
	}
	if starts := s.Strategy.Spec.Starts; starts != nil {
		if per := starts(s.params()).PerSecond; per > 0 && tasks/per > arrivals.MaxSpan.Seconds() {
			complaints = append(complaints, fmt.Errorf("strategy %s: at %v starts per second "+
				"%.3g tasks take longer than the ten years that a run may have",
				s.Strategy, per, tasks))
		}
	}
	mean, c2 := w.Mean().Seconds(), w.C2()
	if work := mean * (tasks + deviations*math.Sqrt(tasks*c2)); work > arrivals.MaxSpan.Seconds() {
		complaints = append(complaints, fmt.Errorf("workload %s: %.3g tasks of %v are longer "+
			"together than the ten years that a run may have", s.Workload, tasks, w.Mean()))
	}
	return complaints
}
