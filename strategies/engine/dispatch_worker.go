package engine

import "github.com/poolbench/poolbench/strategies"

// A dispatchWorker is a goroutine of a dispatch that runs one task after another, and parks when
// there is none.
type dispatchWorker struct {
	*Dispatch
	running *strategies.Task // what a panic or Goexit would be the end of
	page    *page            // the shared page that it claims from, if it got its task that way
	roused  bool             // dispatch.waking is about this one; guarded by the mutex
	wake    chan struct{}    // gets an element when it is parked and roused, or dismissed
}

// signal wakes w after a rouse; it may be nil, for one that was started instead.
func (w *dispatchWorker) signal() {
	if w != nil {
		w.wake <- struct{}{}
	}
}

// work runs t, unless it is nil, and then what else there is, until it is dismissed or a task ends
// the goroutine.
//
// The Result goes straight from Run to finish: it comes in registers, and each time that a Result
// is copied to another variable right after, as in lifecycle.run, the processor waits 5 ns for
// stores of 8 bytes to be read as 16.
func (w *dispatchWorker) work(t *strategies.Task) {
	defer w.exit()
	for {
		if t == nil {
			if t = w.await(); t == nil {
				return
			}
		}
		w.running = t
		if w.Ctx.Err() != nil {
			t = w.finish(t, strategies.Result{Err: w.GiveUp()})
		} else {
			t = w.finish(t, t.Run(w.TaskCtx, t))
		}
	}
}

// finish carries t to its end, gives back its slot, takes the next task for it, if there is one,
// and then reports t: a client that submits on Done finds room. Drain cannot overtake that Done,
// because it waits for the worker too.
func (w *dispatchWorker) finish(t *strategies.Task, r strategies.Result) (next *strategies.Task) {
	if r.More || len(r.Split) > 0 {
		r = w.resume(t, r)
	}
	w.running = nil
	if w.page != nil {
		next = w.page.claim()
	}
	if next == nil {
		next = w.release()
	}
	w.sink.Done(t, r)
	return next
}

// release gives back a slot under the mutex, lets in the first Submit that waits for room, and
// takes the next task.
func (w *dispatchWorker) release() *strategies.Task {
	s := w.Dispatch
	s.mu.Lock()
	s.inside--
	if w.page != nil {
		s.queue.quit(w.page)
	}
	var first *blocked
	if !s.sealed && s.waiters.first != nil {
		// There is no need to rouse anybody: it was full, so all workers are busy, or one is on its
		// way, or the queue is empty and we take this task ourselves.
		first = s.waiters.first
		s.inside++
		s.queue.Push(first.unlink())
	}
	next := w.take()
	sealed := s.sealed
	s.mu.Unlock()
	if first != nil {
		first.let <- struct{}{}
	}
	if sealed {
		s.Leave()
	}
	return next
}

// take takes a task from the queue, if there is one. The caller holds the mutex.
func (w *dispatchWorker) take() (t *strategies.Task) {
	s := w.Dispatch
	var claims int
	t, w.page, claims = s.queue.take(!s.sealed && s.waiters.first == nil)
	s.inside -= claims
	return t
}

// await takes a task, and parks until there is one; nil: w is dismissed. One that was roused sees
// to the next.
func (w *dispatchWorker) await() *strategies.Task {
	s := w.Dispatch
	s.mu.Lock()
	for {
		t := w.take()
		var next *dispatchWorker
		if w.roused {
			w.roused, s.waking = false, false
			if s.busy < s.limit && !s.queue.Empty() {
				next = s.rouse()
			}
		}
		if t != nil || s.over {
			s.mu.Unlock()
			next.signal()
			return t
		}
		s.busy--
		s.parked = append(s.parked, w)
		s.mu.Unlock()
		<-w.wake
		s.mu.Lock()
	}
}

// exit is the end of the goroutine. If a task has brought it about, a new one goes on in its place.
// (Without a task w is dismissed, or it is the sink that panics, which is not ours to hide.)
func (w *dispatchWorker) exit() {
	s, t := w.Dispatch, w.running
	defer s.Alive.Done()
	if t == nil {
		return
	}
	r := Failure(recover())
	w.running = nil
	next := w.release()
	s.Alive.Add(1)
	go w.work(next)
	s.sink.Done(t, r)
}
