package engine

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
)

// Workers are long-lived goroutines that receive tasks from a channel: the engine of worker_pool
// and similar strategies.
//
// A task needs no defer: one per worker catches a panic or Goexit, which ends the worker after it
// has started its successor.
type Workers struct {
	Lifecycle
	Results chan Outcome // receives results for others to settle; nil: the worker settles them
	Quits   bool         // workers end when Ctx ends, not only when Jobs is closed

	// Again handles r.Retry of an attempt at t: it returns the final result, or later=true if t no
	// longer belongs to the worker. Nil: attempts are final. Set before Start.
	Again func(t *strategies.Task, r strategies.Result) (final strategies.Result, later bool)
}

// An Outcome is a task that has run and is not settled.
type Outcome struct {
	Task   *strategies.Task
	Result strategies.Result
}

// Start makes w ready: n workers and a channel with room for queue tasks.
func (w *Workers) Start(ctx context.Context, sink strategies.Sink, n, queue int) *Workers {
	w.Open(ctx, sink, make(chan *strategies.Task, queue))
	w.Alive.Add(n)
	for range n {
		go w.work()
	}
	return w
}

// Submit blocks until the channel or a worker takes the task.
func (w *Workers) Submit(ctx context.Context, t *strategies.Task) error {
	return w.Send(ctx, w.Jobs, t)
}

func (w *Workers) work() {
	var running *strategies.Task
	defer func() {
		if running != nil {
			// otherwise jobs is closed, or the sink panics, which must stay visible
			w.replace(running, Failure(recover()))
		}
		w.Alive.Done()
	}()
	for {
		t := w.take()
		if t == nil {
			return
		}
		running = t
		r, later := w.Run(t), false
		if r.Retry && w.Again != nil {
			r, later = w.Again(t, r)
		}
		running = nil
		if !later {
			w.report(t, r)
		}
	}
}

// take returns the next task, or nil when the worker must end.
func (w *Workers) take() *strategies.Task {
	if !w.Quits {
		return <-w.Jobs
	}
	select {
	case t := <-w.Jobs:
		return t
	case <-w.Ctx.Done():
		return nil
	}
}

// report forwards a result or settles the task, which is counted out before Done, so a client that
// submits on Done finds room. Drain waits for the worker and cannot overtake Done.
func (w *Workers) report(t *strategies.Task, r strategies.Result) {
	if w.Results != nil {
		w.Results <- Outcome{t, r}
		return
	}
	w.Leave()
	w.sink.Done(t, r)
}

// Collect settles the received outcomes until the channel is closed.
func (w *Workers) Collect(from <-chan Outcome) {
	for o := range from {
		w.Settle(o.Task, o.Result)
	}
}

func (w *Workers) replace(t *strategies.Task, r strategies.Result) {
	w.Alive.Add(1)
	go w.work()
	w.report(t, r)
}
