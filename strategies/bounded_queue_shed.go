package strategies

import (
	"context"
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
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
type boundedQueueShed struct {
	workers
	most int64 // slots: Limit + Queue
}

var boundedQueueShedSpec = register(pooled(Spec{
	Name:    "bounded_queue_shed",
	Summary: "long-lived workers, a bounded queue, and ErrShed when it is full",
	UseIf:   "late is as bad as never: refuse at once what would wait too long",
	Source:  "load shedding: a select with default on a bounded queue",
	OnPanic: "contained; the worker is replaced",

	Sheds: true,

	New: func(ctx context.Context, p Params, sink Sink) Strategy {
		most := p.Limit + p.Queue
		s := &boundedQueueShed{most: int64(most)}
		s.start(ctx, sink, p.Limit, most)
		return s
	},
}))

var _ = registerPart(Part{
	Name: boundedQueueShedSpec.Name,
	Summary: "a bounded queue: what finds every slot inside taken, and the queue full, is refused " +
		"with ErrShed",
	Keys: []param.Key{{Name: "queue", Kind: param.Int, Default: "0",
		Doc: "tasks that may wait, those that wait inside included"}},
	holds:   true,
	role:    admission,
	check:   func(p Params) error { return checkQueue(p.Values) },
	refuses: func(_ param.Values, inner Spec) error { return refusesShedder(inner) },
	alter:   alterShedder,
	start: func(
		ctx context.Context, own param.Values, inner Spec, in Params, sink Sink,
	) Strategy {
		s := &hold{room: make(chan struct{}, inner.Bound(in)+own.Int("queue")), sheds: true}
		return s.start(ctx, inner, in, sink)
	},
})

// checkQueue is about the queue of a part.
func checkQueue(own param.Values) error {
	if n := own.Int("queue"); n < 0 || n > MaxSlots {
		return fmt.Errorf("queue %d: want 0 to %d", n, MaxSlots)
	}
	return nil
}

// refusesShedder says why a part that sheds makes no sense around inner.
func refusesShedder(inner Spec) error {
	switch {
	case inner.Sheds:
		return fmt.Errorf("%s sheds already", inner.Name)
	case inner.Bound == nil:
		return fmt.Errorf("it would never shed: %s has no bound, and so is never full", inner.Name)
	}
	return turnsMissed(inner)
}

// alterShedder has a composition shed what finds every slot and the part's queue taken.
func alterShedder(s *Spec, inner Spec, l layer) {
	s.Sheds = true
	s.Capacity = func(p Params) int {
		own, in := l.split(p)
		return inner.Bound(in) + own.Int("queue")
	}
}

// Submit never blocks: the channel has room for all that are admitted.
func (s *boundedQueueShed) Submit(ctx context.Context, t *Task) error {
	if err := s.admit(ctx, s.most); err != nil {
		return err
	}
	s.enqueue(t)
	return nil
}
