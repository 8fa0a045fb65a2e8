package strategies

import "context"

// workers are long-lived goroutines that take tasks from a channel: the engine of worker_pool and
// its kin.
//
// A task costs no defer of its own: one per worker catches the panic or Goexit of whatever it was
// running. That ends the worker, and it starts its successor before it reports.
type workers struct {
	lifecycle
	results chan outcome // where results go, for others to settle; nil: the worker does
	quits   bool         // a worker goes when ctx ends, and not only when jobs is closed

	// again carries out r.Retry, which an attempt at t has asked for: it returns the result of t,
	// or later, when t is no longer the worker's. nil: the attempt is final. Set before start.
	again func(t *Task, r Result) (final Result, later bool)
}

// An outcome is a task that has run, on its way to be settled.
type outcome struct {
	task *Task
	r    Result
}

// start makes w ready: n workers that take tasks from a channel with room for queue.
func (w *workers) start(ctx context.Context, sink Sink, n, queue int) *workers {
	w.open(ctx, sink, make(chan *Task, queue))
	w.alive.Add(n)
	for range n {
		go w.work()
	}
	return w
}

// Submit blocks until the channel, or a worker itself, takes the task.
func (w *workers) Submit(ctx context.Context, t *Task) error {
	return w.send(ctx, w.jobs, t)
}

// work runs tasks until there are no more to take.
func (w *workers) work() {
	var running *Task
	defer func() {
		if running != nil {
			// else jobs is closed, or it is the sink that panics, which is not ours to hide
			w.replace(running, failure(recover()))
		}
		w.alive.Done()
	}()
	for {
		t := w.take()
		if t == nil {
			return
		}
		running = t
		r, later := w.run(t), false
		if r.Retry && w.again != nil {
			r, later = w.again(t, r)
		}
		running = nil
		if !later {
			w.report(t, r)
		}
	}
}

// take returns the next task, or nil when the worker has to go.
func (w *workers) take() *Task {
	if !w.quits {
		return <-w.jobs
	}
	select {
	case t := <-w.jobs:
		return t
	case <-w.ctx.Done():
		return nil
	}
}

// report passes a result on or settles the task itself. Then the task is counted out before its
// Done, so that a client which submits on Done finds room; Drain cannot overtake that Done, because
// it waits for the worker too.
func (w *workers) report(t *Task, r Result) {
	if w.results != nil {
		w.results <- outcome{t, r}
		return
	}
	w.leave()
	w.sink.Done(t, r)
}

// collect settles the outcomes that it receives, until the channel is closed.
func (w *workers) collect(from <-chan outcome) {
	for o := range from {
		w.settle(o.task, o.r)
	}
}

// replace starts the successor of a worker that t has ended with r.
func (w *workers) replace(t *Task, r Result) {
	w.alive.Add(1)
	go w.work()
	w.report(t, r)
}
