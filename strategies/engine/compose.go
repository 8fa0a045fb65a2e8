package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// TurnsMissed is the reason to keep no tasks outside a strategy of steps.
func TurnsMissed(inner strategies.Spec) error {
	if inner.Quantum == nil {
		return nil
	}
	return fmt.Errorf("%s has tasks take turns, and one that is kept outside would miss its turn",
		inner.Base)
}

// NotHedged is the reason to count no slots of a strategy that runs tasks twice.
func NotHedged(inner strategies.Spec) error {
	if !inner.Hedges {
		return nil
	}
	return errors.New("what is inside runs tasks a second time beside its slots, which nothing " +
		"outside can count: have hedged outermost")
}

// Paced completes a part that bounds how often tasks start, as whole does. It keeps them until
// there is a slot inside, and asks for a token then, so that no more tasks start at once than
// tokens are kept. Where further attempts are made inside, it bounds how often tasks are handed on,
// and not how often attempts start.
func Paced(
	whole strategies.Spec,
	p strategies.Part,
	pacerOf func(param.Values) Pacer,
) strategies.Part {
	p.Name, p.Keys, p.Check = whole.Name, whole.Keys, whole.Check
	p.Changes, p.Holds = strategies.Admission, true
	p.Refuses = func(_ param.Values, inner strategies.Spec) error {
		if inner.Splits {
			return fmt.Errorf("%s starts sub-tasks side by side, which nothing outside it can "+
				"pace", inner.Base)
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
			starts := whole.Starts(strategies.Params{Values: own})
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

// Routed completes a part that separates classes as whole does, with an instance inside for each
// class pool. Runs are held to it that a class pool starts its tasks in their order as soon as it
// has a slot, and so must what is inside be.
func Routed(
	whole strategies.Spec,
	p strategies.Part,
	poolsOf func(strategies.Params) []strategies.ClassPool,
) strategies.Part {
	p.Name, p.Keys, p.Check = whole.Name, whole.Keys, whole.Check
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
				"each class pool is to start its tasks in their order and as soon as "+
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
