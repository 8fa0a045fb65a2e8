package engine

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
)

// Workers are long-lived goroutines that take tasks from a channel: the engine of worker_pool and
// its kin.
//
// A task costs no defer: one per worker catches the panic or Goexit of its task. That ends the
// worker, which starts its successor before it reports.
type Workers struct {
	Lifecycle
	Results chan Outcome // receives results for others to settle; nil: the worker settles them
	Quits   bool         // workers end when Ctx ends, not only when Jobs is closed

	// Again carries out r.Retry, which an attempt at t asked for: it returns the final result of t,
	// or later as true once t no longer belongs to the worker. nil: the attempt is final. Set
	// before Start.
	Again func(t *strategies.Task, r strategies.Result) (final strategies.Result, later bool)
}

// An Outcome is a task that has run, on its way to be settled.
type Outcome struct {
	Task   *strategies.Task
	Result strategies.Result
}

// Start makes w ready: n workers that take tasks from a channel with room for queue.
func (w *Workers) Start(ctx context.Context, sink strategies.Sink, n, queue int) *Workers {
	w.Open(ctx, sink, make(chan *strategies.Task, queue))
	w.Alive.Add(n)
	for range n {
		go w.work()
	}
	return w
}

// Submit blocks until the channel, or a worker itself, takes the task.
func (w *Workers) Submit(ctx context.Context, t *strategies.Task) error {
	return w.Send(ctx, w.Jobs, t)
}

// work runs tasks until there are no more to take.
func (w *Workers) work() {
	var running *strategies.Task
	defer func() {
		if running != nil {
			// else jobs is closed, or it is the sink that panics, which is not ours to hide
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

// take returns the next task, or nil when the worker has to go.
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

// report passes a result on or settles the task itself. Then the task is counted out before its
// Done, so that a client which submits on Done finds room; Drain cannot overtake that Done, because
// it waits for the worker too.
func (w *Workers) report(t *strategies.Task, r strategies.Result) {
	if w.Results != nil {
		w.Results <- Outcome{t, r}
		return
	}
	w.Leave()
	w.sink.Done(t, r)
}

// Collect settles the outcomes that it receives, until the channel is closed.
func (w *Workers) Collect(from <-chan Outcome) {
	for o := range from {
		w.Settle(o.Task, o.Result)
	}
}

// replace starts the successor of a worker that t has ended with r.
func (w *Workers) replace(t *strategies.Task, r strategies.Result) {
	w.Alive.Add(1)
	go w.work()
	w.report(t, r)
}
