package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// boundedQueue has a queue of Queue tasks and one goroutine that starts a goroutine for each task
// when one of Limit slots is free. It behaves like worker_pool with a queue but keeps only one idle
// goroutine.
type boundedQueue struct{ engine.PerTask }

var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "bounded_queue",
	Summary: "a bounded queue that blocks when it is full, emptied by a goroutine per task",
	UseIf:   "a lasting overload should slow down the producer, and bursts should be absorbed",
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

func (s *boundedQueue) Submit(ctx context.Context, t *strategies.Task) error {
	return s.Send(ctx, s.Jobs, t)
}

// Waiting tasks stay in the queue, where they are counted and can be abandoned.
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
