package bench

import (
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// Written is a scenario in words: how it crosses to another process. Its variants are those that can be looked up by name.
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
		Strategy: s.Strategy.String(), Workload: s.Workload.String(), Target: s.Target.String(), Arrival: s.Load.Arrival.String(),
		Limit: s.Limit, Queue: s.Queue, Load: s.Load.Relative, Rate: s.Load.PerSecond,
		Tasks: s.Stop.Tasks, Duration: s.Stop.Duration, Warmup: s.Stop.Warmup,
		Deadline: s.Deadline, Timeout: s.Timeout, Drain: s.Drain, Seed: s.Seed, Clock: s.Clock.String(),
	}
}

// Scenario is the inverse of Scenario.Written. It looks the strategy up with parseStrategy, strategies.ParseVariant for instance, so that
// whoever has more strategies can say where.
func (w Written) Scenario(parseStrategy func(param.Call) (strategies.Variant, error)) (Scenario, error) {
	s := Scenario{
		Limit: w.Limit, Queue: w.Queue, Deadline: w.Deadline, Timeout: w.Timeout, Drain: w.Drain, Seed: w.Seed,
		Load: Load{Relative: w.Load, PerSecond: w.Rate},
		Stop: Stop{Tasks: w.Tasks, Duration: w.Duration, Warmup: w.Warmup},
	}
	var errs [5]error
	s.Strategy, errs[0] = parse(w.Strategy, parseStrategy)
	s.Workload, errs[1] = parse(w.Workload, workloads.ParseVariant)
	s.Target, errs[2] = parse(w.Target, targets.ParseVariant)
	s.Load.Arrival, errs[3] = parse(w.Arrival, arrivals.ParseVariant)
	s.Clock, errs[4] = ParseClock(w.Clock)
	if err := errors.Join(errs[:]...); err != nil {
		return Scenario{}, err
	}
	return s, s.Validate()
}

func parse[T any](text string, variant func(param.Call) (T, error)) (T, error) {
	c, err := param.Parse(text)
	if err != nil {
		var none T
		return none, err
	}
	return variant(c)
}

// call names a variant without parameters.
func call(name string) param.Call { return param.Call{Name: name} }

// must is for what cannot fail: the defaults.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("bench: a default is wrong: %v", err))
	}
	return v
}
