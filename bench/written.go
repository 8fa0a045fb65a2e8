package bench

import (
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// Written is a scenario in words: how it crosses to another process. Its variants are those that
// can be looked up by name.
type Written struct {
	Strategy, Workload, Target, Arrival string
	Limit, Queue                        int
	Load, Rate                          float64
	Tasks                               int
	Duration, Deadline, Timeout, Drain  time.Duration
	Warmup                              float64
	Seed                                uint64
	Clock                               string
}

// Written puts the scenario in words.
func (s Scenario) Written() Written {
	s = s.withDefaults()
	return Written{
		Strategy: s.Strategy.String(), Workload: s.Workload.String(), Target: s.Target.String(),
		Arrival: s.Load.Arrival.String(),
		Limit:   s.Limit, Queue: s.Queue, Load: s.Load.Relative, Rate: s.Load.PerSecond,
		Tasks: s.Stop.Tasks, Duration: s.Stop.Duration, Warmup: s.Stop.Warmup,
		Deadline: s.Deadline, Timeout: s.Timeout, Drain: s.Drain, Seed: s.Seed,
		Clock: s.Clock.String(),
	}
}

// Scenario is the inverse of Scenario.Written.
func (w Written) Scenario() (Scenario, error) {
	s := Scenario{
		Limit: w.Limit, Queue: w.Queue, Deadline: w.Deadline, Timeout: w.Timeout,
		Drain: w.Drain, Seed: w.Seed,
		Load: Load{Relative: w.Load, PerSecond: w.Rate},
		Stop: Stop{Tasks: w.Tasks, Duration: w.Duration, Warmup: w.Warmup},
	}
	var errs [5]error
	s.Strategy, errs[0] = strategies.Parse(w.Strategy)
	s.Workload, errs[1] = workloads.Parse(w.Workload)
	s.Target, errs[2] = targets.Parse(w.Target)
	s.Load.Arrival, errs[3] = arrivals.Parse(w.Arrival)
	s.Clock, errs[4] = ParseClock(w.Clock)
	if err := errors.Join(errs[:]...); err != nil {
		return Scenario{}, err
	}
	return s, s.Validate()
}
