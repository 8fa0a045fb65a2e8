package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// boundedQueue is a queue of Queue tasks and one goroutine that starts a goroutine per task, in
// order, when one of Limit slots is free. Submit blocks while the queue is full (backpressure).
//
// Use it to absorb bursts and slow the producer under lasting overload. bounded_queue_shed is the
// shedding variant. The bounds are those of worker_pool with a queue, but only one goroutine is
// idle. Each task costs a goroutine start and a switch to the starting goroutine. A large queue
// only adds delay: Queue / Limit service times.
type boundedQueue struct{ engine.PerTask }

var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "bounded_queue",
	Summary: "a bounded queue that blocks when it is full, emptied by a goroutine per task",
	UseIf:   "the producer should feel a lasting overload, and bursts should be absorbed",
	Source:  "limited concurrency in Go: backpressure by a blocking send",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the task's goroutine ends and its slot is given back",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &boundedQueue{engine.PerTask{Slots: make(chan struct{}, p.Limit)}}
		s.Open(ctx, sink, make(chan *strategies.Task, p.Queue))
		s.Alive.Go(s.consume)
		return s
	},
}))

// Submit blocks until the queue or its goroutine takes the task.
func (s *boundedQueue) Submit(ctx context.Context, t *strategies.Task) error {
	return s.Send(ctx, s.Jobs, t)
}

// consume takes a slot before a task, so waiting tasks stay in the queue, where they are counted
// and can be given up.
func (s *boundedQueue) consume() {
	for {
		s.Slots <- struct{}{}
		t, open := <-s.Jobs
		if !open {
			return
		}
		go s.Thunk(t)()
	}
}
