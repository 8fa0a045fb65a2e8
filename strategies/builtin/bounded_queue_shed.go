package builtin

import (
	"cmp"
	"context"
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// boundedQueueShed is a worker_pool that sheds when all Limit workers and Queue slots are taken. It
// counts tasks exactly, because a channel looks full while idle workers have not yet received from
// it.
type boundedQueueShed struct{ engine.Workers }

var boundedQueueShedSpec = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "bounded_queue_shed",
	Summary: "long-lived workers, a bounded queue, and ErrShed when it is full",
	UseIf:   "a late result is useless: tasks that would wait too long are refused at once",
	Source:  "load shedding: a select with default on a bounded queue",
	OnPanic: "contained; the worker is replaced",

	Sheds: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := new(boundedQueueShed)
		s.Start(ctx, sink, p.Limit, p.Limit+p.Queue)
		return s
	},
}))

var _ = strategies.RegisterPart(strategies.Part{
	Name:    boundedQueueShedSpec.Name,
	Summary: "a bounded queue before the inner strategy, and ErrShed when slots and queue are full",
	Keys: []param.Key{{Name: "queue", Kind: param.Int, Default: "0",
		Doc: "length of the queue, including tasks that wait in the inner strategy; 0: none (the " +
			"strategy of this name has 8 × limit)"}},
	Holds:   true,
	Changes: strategies.Admission,
	Check: func(p strategies.Params) error {
		return p.Values.CheckRange("queue", 0, strategies.MaxSlots)
	},
	Refuses: func(_ param.Values, inner strategies.Spec) error { return refusesShedder(inner) },
	Alter:   alterShedder,
	Start: func(
		ctx context.Context, own param.Values, inner strategies.Spec, in strategies.Params,
		sink strategies.Sink,
	) strategies.Strategy {
		s := &engine.Hold{Room: make(chan struct{}, inner.Bound(in)+own.Int("queue")), Sheds: true}
		return s.Start(ctx, inner, in, sink)
	},
})

func refusesShedder(inner strategies.Spec) error {
	switch {
	case inner.Sheds:
		return fmt.Errorf("%s sheds already", inner.Name)
	case inner.Bound == nil:
		return fmt.Errorf("it would never shed: %s has no bound, and so is never full", inner.Name)
	}
	return cmp.Or(engine.NotHedged(inner), engine.TurnsMissed(inner))
}

// If the part's queue is 0, the inner queue stays empty.
func alterShedder(s *strategies.Spec, inner strategies.Spec, l strategies.Layer) {
	own, _ := l.Split(strategies.Params{})
	s.Sheds, s.UsesQueue = true, inner.UsesQueue && own.Int("queue") > 0
	s.Capacity = func(p strategies.Params) int {
		own, in := l.Split(p)
		return inner.Bound(in) + own.Int("queue")
	}
}

// The channel has room for all admitted tasks, so Enqueue never blocks.
func (s *boundedQueueShed) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Admit(ctx, int64(cap(s.Jobs))); err != nil {
		return err
	}
	s.Enqueue(t)
	return nil
}
