package engine

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
)

// Workers are long-lived goroutines that receive tasks from a channel. After a panic or Goexit a
// deferred function starts a new worker.
type Workers struct {
	Lifecycle
	// results for another goroutine to settle; if nil, workers settle tasks themselves
	Results chan Outcome
	Quits   bool // whether workers end with Ctx; otherwise they end when Jobs is closed

	// Again handles Result.Retry. It returns the final result, or later=true if t no longer belongs
	// to the worker. Nil: every attempt is final.
	Again func(t *strategies.Task, r strategies.Result) (final strategies.Result, later bool)
}

// An Outcome is a task that has run and is not settled.
type Outcome struct {
	Task   *strategies.Task
	Result strategies.Result
}

// Start opens w with n workers and a channel with room for queue tasks.
func (w *Workers) Start(ctx context.Context, sink strategies.Sink, n, queue int) *Workers {
	w.Open(ctx, sink, make(chan *strategies.Task, queue))
	w.Alive.Add(n)
	for range n {
		go w.work()
	}
	return w
}

// Submit blocks until the channel has room or a worker takes the task.
func (w *Workers) Submit(ctx context.Context, t *strategies.Task) error {
	return w.Send(ctx, w.Jobs, t)
}

func (w *Workers) work() {
	var running *strategies.Task
	defer func() {
		if running != nil {
			// Without a task, the worker ends or the sink has panicked, which must not be
			// recovered.
			w.replace(running, Failure(recover()))
		}
		w.Alive.Done()
	}()
	for {
		t := w.next()
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

func (w *Workers) next() *strategies.Task {
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
