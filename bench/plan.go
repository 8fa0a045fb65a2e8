package bench

import (
	"runtime"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

// A described says what was planned: a settled Scenario, as far as what is computed of its run asks
// for it.
type described struct {
	Strategy                 strategies.Spec
	Params                   strategies.Params // of the strategy
	Kind                     workloads.Kind
	Target                   string // its name
	Arrival                  arrivals.Variant
	Relative, PerSecond      float64 // load; at most one of the two
	Tasks                    int     // 0: until Duration is over
	Duration                 time.Duration
	Warmup                   float64 // share of the tasks that is not counted
	Deadline, Timeout, Drain time.Duration
	Seed                     uint64
	Virtual                  bool // clock; false: the real one
	Among                    int  // runs of the plan that this is one of
}

// pools are the strategy's, if it has any.
func (p described) pools() []strategies.ClassPool {
	if p.Strategy.ClassPools == nil {
		return nil
	}
	return p.Strategy.ClassPools(p.Params)
}

// slots is how many tasks can make progress at once: the k of the theory.
func (p described) slots() int {
	if p.Kind == workloads.CPU {
		return min(p.Params.Limit, runtime.GOMAXPROCS(0))
	}
	return p.Params.Limit
}

// rate returns the arrivals per second by the plan, 0 where the process settles them itself.
func (p described) rate(mean time.Duration) float64 {
	if p.Relative != 0 {
		return p.Relative * float64(p.slots()) / mean.Seconds()
	}
	return p.PerSecond
}
