package engine

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
)

// Slotted declares Limit slots without a queue, FIFO order and work conservation.
func Slotted(s strategies.Spec) strategies.Spec {
	s.Bound = func(p strategies.Params) int { return p.Limit }
	s.Capacity, s.FIFO, s.WorkConserving = s.Bound, true, true
	return s
}

// Queued declares Limit slots and a queue of Queue waiting tasks.
func Queued(s strategies.Spec) strategies.Spec {
	s.Bound = func(p strategies.Params) int { return p.Limit }
	s.Capacity = func(p strategies.Params) int { return p.Limit + p.Queue }
	s.UsesQueue = true
	return s
}

// Pooled declares a worker pool with a queue, FIFO order and work conservation.
func Pooled(s strategies.Spec) strategies.Spec {
	s.FIFO, s.WorkConserving = true, true
	return Queued(s)
}

// Separated declares one pool per class, each with its own workers and queue.
func Separated(
	s strategies.Spec,
	poolsOf func(strategies.Params) []strategies.ClassPool,
) strategies.Spec {
	s.Bound = func(p strategies.Params) int { return p.Limit }
	s.Capacity = func(p strategies.Params) int { return p.Limit + 2*p.Queue }
	s.UsesQueue, s.ClassPools = true, poolsOf
	s.New = func(
		ctx context.Context, p strategies.Params, sink strategies.Sink,
	) strategies.Strategy {
		all := poolsOf(p)
		slots := make([]int, len(all))
		for i, l := range all {
			slots[i] = l.Limit
		}
		w := &Pools{poolOf: indexIn(all)}
		return w.Start(ctx, sink, p.Queue, slots...)
	}
	return s
}
