package strategies

import "context"

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

var _ = register(pooled(Spec{
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

// Submit never blocks: the channel has room for all that are admitted.
func (s *boundedQueueShed) Submit(ctx context.Context, t *Task) error {
	if err := s.admit(ctx, s.most); err != nil {
		return err
	}
	s.enqueue(t)
	return nil
}
