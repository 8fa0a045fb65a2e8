package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// boundedQueue is a queue of Queue tasks and one goroutine behind it, which takes them in order and
// starts a goroutine for each as soon as one of Limit slots is free. Submit sends to the queue, so
// it blocks while that is full: backpressure, which slows the producer down to the pace of the
// tasks.
//
// It is the producer and the consumer of a buffered channel, and the blocking twin of
// bounded_queue_shed. Use it when bursts should be absorbed and a lasting overload be felt by the
// producer. It bounds what worker_pool with a queue bounds; the difference is that nothing is idle
// when there is nothing to do, save the one goroutine. It costs the start of a goroutine per task
// and the switch to the goroutine that starts it. A large queue does not make it faster, only later
// to say so: each task waits for all before it, Queue / Limit service times.
type boundedQueue struct{ engine.PerTask }

var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "bounded_queue",
	Summary: "a bounded queue that blocks when it is full, emptied by a goroutine per task",
	UseIf:   "the producer should feel a lasting overload, and bursts should be absorbed",
	Source:  "limited concurrency in Go: backpressure by a blocking send",
	OnPanic: "contained; the task's goroutine ends and its slot is given back",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &boundedQueue{engine.PerTask{Slots: make(chan struct{}, p.Limit)}}
		s.Open(ctx, sink, make(chan *strategies.Task, p.Queue))
		s.Alive.Go(s.consume)
		return s
	},
}))

// Submit blocks until the queue, or the goroutine behind it, takes the task.
func (s *boundedQueue) Submit(ctx context.Context, t *strategies.Task) error {
	return s.Send(ctx, s.Jobs, t)
}

// consume takes the place before the task: so a task that waits does so in the queue, where it is
// counted and can be given up.
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
