package observe

import (
	"runtime"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A Plan says what was planned: a settled bench.Scenario, as far as what is computed of its run
// asks for it.
type Plan struct {
	Strategy                 strategies.Spec
	Params                   strategies.Params // of the strategy
	Kind                     workloads.Kind
	Target                   string // its name
	Served                   targets.Variant
	Arrival                  arrivals.Variant
	Relative, PerSecond      float64 // load; at most one of the two
	Tasks                    int     // 0: until Duration is over
	Duration                 time.Duration
	Warmup                   float64 // share of the tasks that is not counted
	Deadline, Timeout, Drain time.Duration
	Patience                 dist.Dist // of callers; nil: they never give up
	Seed                     uint64
	Virtual                  bool // clock; false: the real one
	Among                    int  // runs of the plan that this is one of
}

// Pools are the strategy's, if it has any.
func (p Plan) Pools() []strategies.ClassPool {
	if p.Strategy.ClassPools == nil {
		return nil
	}
	return p.Strategy.ClassPools(p.Params)
}

// Slots is how many tasks can make progress at once: the k of the theory.
func (p Plan) Slots() int {
	if p.Kind == workloads.CPU {
		return min(p.Params.Limit, runtime.GOMAXPROCS(0))
	}
	return p.Params.Limit
}

// Rate returns the arrivals per second by the plan, 0 where the process settles them itself.
func (p Plan) Rate(mean time.Duration) float64 {
	if p.Relative != 0 {
		return p.Relative * float64(p.Slots()) / mean.Seconds()
	}
	return p.PerSecond
}

// Poisson reports whether the plan is one of independent exponential gaps at one rate.
func (o *Run) Poisson() bool { return o.Plan.Arrival.Spec.Name == "poisson" && !o.Follows }

// Stationary reports whether the plan itself is.
func (o *Run) Stationary() bool {
	arrival := o.Plan.Arrival.Spec
	return !arrival.AllAtOnce && !arrival.Unsteady
}
