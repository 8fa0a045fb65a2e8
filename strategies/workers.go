package strategies

import "context"

// workers are long-lived goroutines that take tasks from a channel: the engine of worker_pool, serial and bounded_queue_shed.
//
// A task costs no defer of its own: one per worker catches the panic or Goexit of whatever it was running. That ends the
// worker, and it starts its successor before it reports.
type workers struct{ lifecycle }

// start makes w ready: n workers that take tasks from a channel with room for queue.
func (w *workers) start(ctx context.Context, sink Sink, n, queue int) {
	w.open(ctx, sink, make(chan *Task, queue))
	w.alive.Add(n)
	for range n {
		go w.work()
	}
}

// Submit blocks until the channel, or a worker itself, takes the task.
func (w *workers) Submit(ctx context.Context, t *Task) error {
	if err := w.enter(ctx); err != nil {
		return err
	}
	select {
	case w.jobs <- t: // alone in its select a send costs 15 ns; with two other ways, 60
	default:
		select {
		case w.jobs <- t:
		case <-ctx.Done():
			w.leave()
			return ctx.Err()
		case <-w.closing:
			w.leave()
			return ErrClosed
		}
	}
	if w.ctx.Err() != nil {
		w.sweep()
	}
	return nil
}

// work runs tasks until jobs is closed. A task is counted out before its Done, so that a client which submits on Done finds
// room; Drain cannot overtake that Done, because it waits for the worker too.
func (w *workers) work() {
	var running *Task
	defer func() {
		if running != nil { // else jobs is closed, or it is the sink that panics, which is not ours to hide
			w.replace(running, failure(recover()))
		}
		w.alive.Done()
	}()
	for t := range w.jobs {
		running = t
		r := w.run(t)
		running = nil
		w.leave()
		w.sink.Done(t, r)
	}
}

// replace starts the successor of a worker that t has ended with r.
func (w *workers) replace(t *Task, r Result) {
	w.alive.Add(1)
	go w.work()
	w.leave()
	w.sink.Done(t, r)
}
