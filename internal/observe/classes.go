package observe

import (
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

// FifoPools returns the slots of each FIFO, work-conserving pool, and the pool of each class, or
// nil without such pools. A class without a pool may use any slot: if there are no other classes
// that is one pool, otherwise the result is nil.
func (o *Run) FifoPools() (pools []int, poolOf map[strategies.Class]int) {
	spec, bound := o.Plan.Strategy, o.Bound()
	if o.Pools == nil {
		if !spec.FIFO || !spec.WorkConserving || spec.Quantum != nil || bound == 0 {
			return nil, nil
		}
		return []int{bound}, nil
	}
	poolOf = make(map[strategies.Class]int)
	all := 0
	for i, l := range o.Pools {
		pools = append(pools, l.Limit)
		poolOf[l.Class] = i
		all += l.Limit
	}
	var seen [2]bool
	for _, rec := range o.Trace.From(0) {
		if _, pool := poolOf[rec.Class]; pool {
			seen[1] = true
		} else {
			seen[0] = true
		}
	}
	switch {
	case seen[0] && seen[1], all != bound:
		return nil, nil
	case seen[0]:
		return []int{all}, nil
	}
	return pools, poolOf
}

// Slots returns the k of queueing theory: the strategy's bound, but for computing tasks at most the
// number of cores.
func (o *Run) Slots() int {
	s := o.Plan
	if bound := o.Bound(); bound > 0 {
		if s.Strategy.Hedges {
			bound /= 2
		}
		s.Params.Limit = bound
	}
	return s.Slots()
}

// Dist returns nil if the distribution of the task times is unknown.
func (o *Run) Dist() dist.Dist {
	if d, ok := o.Workload.(workloads.Distributed); ok {
		return d.Dist()
	}
	return nil
}

var BothClasses = []strategies.Class{strategies.Short, strategies.Long}

func (o *Run) has(class strategies.Class) bool {
	if o.classes == 0 {
		for _, rec := range o.Trace.From(0) {
			o.classes |= 1 << rec.Class
		}
	}
	return o.classes>>class&1 == 1
}

// Classes returns nil if the workload does not label short and long tasks.
func (o *Run) Classes(d dist.Dist) []dist.Branch {
	mixture, _ := d.(dist.Mixture)
	branches := mixture.Branches()
	if _, classed := o.Workload.(workloads.Classed); !classed || len(branches) != 2 {
		return nil
	}
	if branches[0].Dist.Mean() > branches[1].Dist.Mean() {
		branches[0], branches[1] = branches[1], branches[0]
	}
	return branches
}

// SlotsOf returns 0 if the class has no pool.
func (o *Run) SlotsOf(class strategies.Class) int {
	for _, pool := range o.Pools {
		if pool.Class == class {
			return pool.Limit
		}
	}
	return 0
}
