package bench

import (
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

// A sorter fills in what a task says of itself, for the strategies that look at it: its class, and
// how long it will take.
type sorter struct {
	classed workloads.Classed
	either  workloads.Computing
	timed   workloads.Timed
	kind    strategies.Class // of all tasks, where the workload has no classes
}

// newSorter asks for a task's time only where the strategy wants to know it: drawing one costs 15
// ns.
func newSorter(s Scenario, w workloads.Workload) (o sorter) {
	o.kind = strategies.IO
	if s.Workload.Spec.Kind == workloads.CPU {
		o.kind = strategies.CPU
	}
	o.classed, _ = w.(workloads.Classed)
	o.either, _ = w.(workloads.Computing)
	if s.Strategy.Spec.UsesSize {
		o.timed, _ = w.(workloads.Timed)
	}
	return o
}

func (o sorter) classOf(seq uint64) strategies.Class {
	switch {
	case o.either != nil && o.either.Computes(seq):
		return strategies.CPU
	case o.either != nil:
		return strategies.IO
	case o.classed == nil:
		return o.kind
	case o.classed.Long(seq):
		return strategies.Long
	}
	return strategies.Short
}

func (o sorter) sizeOf(seq uint64) time.Duration {
	if o.timed == nil {
		return 0
	}
	return o.timed.Time(seq)
}
