package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// TurnsMissed returns an error if inner runs tasks in steps, because a part would delay each step.
func TurnsMissed(inner strategies.Spec) error {
	if inner.Quantum == nil {
		return nil
	}
	return fmt.Errorf("%s runs tasks in steps, and a task that waits outside would miss its turn",
		inner.Base)
}

// NotHedged returns an error if inner hedges, because a part cannot count the slots of second
// attempts.
func NotHedged(inner strategies.Spec) error {
	if !inner.Hedges {
		return nil
	}
	return errors.New("the inner strategy makes second attempts outside its slots, which an " +
		"outer part cannot count: put hedged outermost")
}

// Paced completes p as a part that limits the rate of starts, with the name and parameters of base.
// It takes a token only when the inner strategy has a free slot, so bursts never exceed the saved
// tokens.
func Paced(
	base strategies.Spec,
	p strategies.Part,
	pacerOf func(param.Values) Pacer,
) strategies.Part {
	p.Name, p.Keys, p.Check = base.Name, base.Keys, base.Check
	p.Changes, p.Holds = strategies.Admission, true
	p.Refuses = func(_ param.Values, inner strategies.Spec) error {
		if inner.Splits {
			return fmt.Errorf("%s starts sub-tasks in parallel, which an outer part cannot limit", inner.Base)
		}
		return cmp.Or(NotHedged(inner), TurnsMissed(inner))
	}
	p.Alter = func(s *strategies.Spec, inner strategies.Spec, l strategies.Layer) {
		s.WorkConserving = false
		if !inner.FIFO || inner.Retries {
			return
		}
		inside := s.Starts
		s.Starts = func(p strategies.Params) strategies.Starts {
			own, _ := l.Split(p)
			starts := base.Starts(strategies.Params{Values: own})
			if inside == nil {
				return starts
			}
			if in := inside(p); in.PerSecond < starts.PerSecond {
				starts = in
			}
			starts.Several = true
			return starts
		}
	}
	p.Start = func(
		ctx context.Context, own param.Values, inner strategies.Spec, in strategies.Params,
		sink strategies.Sink,
	) strategies.Strategy {
		s := HoldOf(inner, in, 0, inner.Sheds)
		s.pace = pacerOf(own)
		if inner.Bound != nil && !inner.Retries {
			s.Most = inner.Bound(in)
		}
		return s.Start(ctx, inner, in, sink)
	}
	return p
}

// Routed completes p as a part that separates classes, with the name and parameters of base and one
// inner instance per class pool. The inner strategy must be FIFO and work-conserving.
func Routed(
	base strategies.Spec,
	p strategies.Part,
	poolsOf func(strategies.Params) []strategies.ClassPool,
) strategies.Part {
	p.Name, p.Keys, p.Check = base.Name, base.Keys, base.Check
	p.Changes, p.Holds = strategies.Routing, true
	each := func(own param.Values, in strategies.Params) (
		all []strategies.ClassPool, inside []strategies.Params,
	) {
		all = poolsOf(strategies.Params{Limit: in.Limit, Values: own})
		for _, pool := range all {
			in.Limit = pool.Limit
			inside = append(inside, in)
		}
		return all, inside
	}
	sum := func(fact func(strategies.Params) int, l strategies.Layer) func(strategies.Params) int {
		if fact == nil {
			return nil
		}
		return func(p strategies.Params) (n int) {
			own, in := l.Split(p)
			_, inside := each(own, in)
			for _, in := range inside {
				n += fact(in)
			}
			return n
		}
	}
	p.Refuses = func(_ param.Values, inner strategies.Spec) error {
		if inner.Bound == nil {
			return fmt.Errorf("%s has no bound, and so no slots to share out", inner.Name)
		}
		if !inner.FIFO || !inner.WorkConserving || inner.Splits {
			return fmt.Errorf(
				"each class pool must start its tasks in their order and as soon as "+
					"there is a slot, which %s does not",
				inner.Name,
			)
		}
		return cmp.Or(NotHedged(inner), TurnsMissed(inner))
	}
	p.Alter = func(s *strategies.Spec, inner strategies.Spec, l strategies.Layer) {
		s.FIFO, s.WorkConserving, s.Starts = false, false, nil
		s.Bound, s.Capacity = sum(inner.Bound, l), sum(inner.Capacity, l)
		s.ClassPools = func(p strategies.Params) []strategies.ClassPool {
			own, in := l.Split(p)
			all, inside := each(own, in)
			for i, in := range inside {
				all[i].Limit = inner.Bound(in)
			}
			return all
		}
	}
	p.Start = func(
		ctx context.Context, own param.Values, inner strategies.Spec, in strategies.Params,
		sink strategies.Sink,
	) strategies.Strategy {
		all, inside := each(own, in)
		return (&route{poolOf: indexIn(all)}).Start(ctx, inner, inside, sink)
	}
	return p
}
