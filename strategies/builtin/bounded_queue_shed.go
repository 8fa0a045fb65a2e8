package builtin

import (
	"cmp"
	"context"
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// boundedQueueShed is worker_pool with an answer instead of a wait: Limit workers, Queue slots to
// wait in, and when all of them are taken Submit returns ErrShed at once.
//
// Use it where late is as bad as never and the caller has something better to do than to wait, such
// as answering 503: the queue bounds the wait of what is accepted. It costs the tasks that are
// refused. How long a queue may be is a question of how long a task may wait: Queue / Limit service
// times, on average.
//
// Admission is by the exact number of tasks inside, not by a look at the channel: a channel looks
// full while its workers are still on their way to it, and would shed tasks for which there is a
// slot.
type boundedQueueShed struct{ engine.Workers }

var boundedQueueShedSpec = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "bounded_queue_shed",
	Summary: "long-lived workers, a bounded queue, and ErrShed when it is full",
	UseIf:   "late is as bad as never: tasks that would wait too long are refused at once",
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
	Name: boundedQueueShedSpec.Name,
	Summary: "a bounded queue before the strategy inside, and ErrShed when slots and queue " +
		"are full",
	Keys: []param.Key{{Name: "queue", Kind: param.Int, Default: "0",
		Doc: "tasks that may wait, those that wait inside included; 0: none, where the " +
			"strategy of that name has 8 × limit"}},
	Holds:   true,
	Changes: strategies.Admission,
	Check: func(p strategies.Params) error {
		return p.Values.Within("queue", 0, strategies.MaxSlots)
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

// refusesShedder says why a part that sheds makes no sense around inner.
func refusesShedder(inner strategies.Spec) error {
	switch {
	case inner.Sheds:
		return fmt.Errorf("%s sheds already", inner.Name)
	case inner.Bound == nil:
		return fmt.Errorf("it would never shed: %s has no bound, and so is never full", inner.Name)
	}
	return cmp.Or(engine.NotHedged(inner), engine.TurnsMissed(inner))
}

// alterShedder has a composition shed what finds every slot and the part's queue taken. Where the
// part lets no task wait, the queue inside is empty whatever its length.
func alterShedder(s *strategies.Spec, inner strategies.Spec, l strategies.Layer) {
	own, _ := l.Split(strategies.Params{})
	s.Sheds, s.UsesQueue = true, inner.UsesQueue && own.Int("queue") > 0
	s.Capacity = func(p strategies.Params) int {
		own, in := l.Split(p)
		return inner.Bound(in) + own.Int("queue")
	}
}

// Submit never blocks: the channel has room for all that are admitted.
func (s *boundedQueueShed) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Admit(ctx, int64(cap(s.Jobs))); err != nil {
		return err
	}
	s.Enqueue(t)
	return nil
}
