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

// A Plan is the part of a bench.Scenario that the metrics need, with all defaults set.
type Plan struct {
	Strategy                 strategies.Spec
	Params                   strategies.Params
	Kind                     workloads.Kind
	Weights                  *workloads.WeightLaw // weights of the tasks; nil if all are 1
	Target                   string
	Served                   targets.Variant
	Arrival                  arrivals.Variant
	Relative, PerSecond      float64 // load or tasks per second; at most one is not 0
	Tasks                    int     // 0: until Duration is over
	Duration                 time.Duration
	Warmup                   float64 // share of the tasks that is not measured
	Deadline, Timeout, Drain time.Duration
	Patience                 dist.Dist // of callers. nil: they never give up
	Seed                     uint64
	Virtual                  bool
	Among                    int // number of runs of the plan, including this one
}

func (p Plan) Pools() []strategies.ClassPool {
	if p.Strategy.ClassPools == nil {
		return nil
	}
	return p.Strategy.ClassPools(p.Params)
}

// Slots returns the k of queueing theory: the number of tasks that can make progress at once.
func (p Plan) Slots() int {
	if p.Kind == workloads.CPU {
		return min(p.Params.Limit, runtime.GOMAXPROCS(0))
	}
	return p.Params.Limit
}

// Rate is 0 if the arrival process determines it.
func (p Plan) Rate(mean time.Duration) float64 {
	if p.Relative != 0 {
		return p.Relative * float64(p.Slots()) / mean.Seconds()
	}
	return p.PerSecond
}

// Poisson reports whether the plan has independent exponential gaps at one rate.
func (o *Run) Poisson() bool { return o.Plan.Arrival.Spec.Name == "poisson" && !o.Follows }

func (o *Run) Stationary() bool {
	arrival := o.Plan.Arrival.Spec
	return !arrival.AllAtOnce && !arrival.Unsteady
}
