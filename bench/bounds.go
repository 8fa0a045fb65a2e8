package bench

import (
	"cmp"
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

const minRelative = 1e-6

// deviations bounds a run's work, in standard deviations above its mean.
const deviations = 10

// w may be nil if it is too expensive to build.
func (s Scenario) outOfBounds(w workloads.Workload) (c text.Complaints) {
	rate := s.Load.PerSecond
	if l := s.Load.Relative; l != 0 && !(l >= minRelative && l <= 1000) {
		c.Add("load %v: want %v to 1000, where 1 is the capacity", l, minRelative)
		return c
	}
	if w != nil && s.Load.Relative != 0 && w.Mean() > 0 {
		rate = min(s.described().Rate(w.Mean()), arrivals.MaxRate)
		if !(rate >= arrivals.MinRate) {
			c.Add("load %v: at limit %d and %v a task this is a rate of %.3g per second; want %v "+
				"at least", s.Load.Relative, s.Limit, w.Mean(), rate, arrivals.MinRate)
			return c
		}
	}
	most := float64(arrivals.MaxTasks)
	if a := s.Load.Arrival; !a.IsClosed() && !a.Spec.AllAtOnce {
		most = min(arrivals.MaxSoak, math.MaxInt)
	}
	c = s.Load.Arrival.CheckPlan(rate, s.Stop.Tasks, s.Stop.Duration, most)
	if len(c) > 0 || w == nil {
		return c
	}
	tasks := cmp.Or(float64(s.Stop.Tasks), rate*s.Stop.Duration.Seconds())
	if stages := s.Load.Arrival.Stages(); stages != nil {
		if n := tasksOf(stages, rate); n > record.MaxTasks {
			c.Add("arrival stages: they have %.3g tasks; want at most %d, because of the memory "+
				"for their records", n,
				record.MaxTasks)
		}
	}
	if endless(w) {
		ends := s.Timeout // Validate rejects 0 without a patience
		if s.Patience != nil && (ends == 0 || s.Patience.Mean() < ends) {
			ends = s.Patience.Mean()
		}
		if work := tasks * ends.Seconds(); work > arrivals.MaxSpan.Seconds() {
			c.Add("timeout %v: %.3g tasks that end only by timeout last longer than ten years, "+
				"the most for a run", ends, tasks)
		}
	}
	if starts := s.Strategy.Spec.Starts; starts != nil {
		if per := starts(s.params()).PerSecond; per > 0 && tasks/per > arrivals.MaxSpan.Seconds() {
			c.Add("strategy %s: at %v starts per second, %.3g tasks last longer than ten years, "+
				"the most for a run", s.Strategy, per, tasks)
		}
	}
	mean, c2 := w.Mean().Seconds(), w.C2()
	if work := mean * (tasks + deviations*math.Sqrt(tasks*c2)); work > arrivals.MaxSpan.Seconds() {
		c.Add("workload %s: %.3g tasks of %v together last longer than ten years, the most for a "+
			"run", s.Workload, tasks, w.Mean())
	}
	return c
}

// NoQueue is the value of Queue for no queue slots. A task that finds the limit reached blocks in
// Submit or is shed.
const NoQueue = strategies.NoQueue

// Resolves returns an error if the scenario has too few tasks to report the metric in every run.
// For a duration it assumes twice the expected number of tasks.
func (s Scenario) Resolves(unit string) error {
	s = s.withDefaults()
	least := observe.MinTasks(unit)
	n, how := s.Stop.Tasks, fmt.Sprintf("n %d", s.Stop.Tasks)
	if n == 0 {
		if s.Load.Arrival.IsClosed() {
			return nil
		}
		tasks, _ := s.expected()
		n, how = int(min(2*tasks+1, 1e9)),
			fmt.Sprintf("duration %v, with about %.3g tasks,", s.Stop.Duration, tasks)
	}
	left := func(n int) int { return n - int(s.Stop.Warmup*float64(n)) }
	if left(n) >= least {
		return nil
	}
	enough := least
	for left(enough) < least {
		enough++
	}
	return fmt.Errorf("%s needs %d tasks after the warm-up, and %s has too few: give n %d", unit,
		least, how, enough)
}
