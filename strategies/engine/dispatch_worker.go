package engine

import "github.com/poolbench/poolbench/strategies"

// A dispatchWorker is a goroutine that runs the tasks of a Dispatch and parks when there are none.
type dispatchWorker struct {
	*Dispatch
	running *strategies.Task // what a panic or Goexit would be the end of
	page    *page            // the shared page that it claims from, if it got its task that way
	roused  bool             // dispatch.waking is about this one; guarded by the mutex
	wake    chan struct{}    // gets an element when it is parked and roused, or dismissed
}

// signal wakes w after rouse. w may be nil.
func (w *dispatchWorker) signal() {
	if w != nil {
		w.wake <- struct{}{}
	}
}

// work runs t, unless nil, and further tasks until w is dismissed or a task ends the goroutine.
//
// The Result goes directly from Run to finish in registers: each copy to another variable, as in
// lifecycle.run, stalls for 5 ns on store forwarding (8-byte stores read as 16 bytes).
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

// finish releases the slot of t, takes the next task, and then reports t, so a client that submits
// on Done finds room. Drain waits for the worker and cannot overtake Done.
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

// release frees a slot under the mutex, admits the first waiting Submit, and takes the next task.
func (w *dispatchWorker) release() *strategies.Task {
	s := w.Dispatch
	s.mu.Lock()
	s.inside--
	if w.page != nil {
		s.queue.quit(w.page)
	}
	var first *blocked
	if !s.sealed && s.waiters.first != nil {
		// No rouse is needed: the dispatch was full, so all workers are busy, one is on its way, or the
		// queue is empty and we take this task.
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

// take returns a queued task, if any. The caller holds the mutex.
func (w *dispatchWorker) take() (t *strategies.Task) {
	s := w.Dispatch
	var claims int
	t, w.page, claims = s.queue.take(!s.sealed && s.waiters.first == nil)
	s.inside -= claims
	return t
}

// await parks until there is a task, or returns nil when w is dismissed. A roused worker wakes the
// next.
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

// exit ends the goroutine. If a task caused this, a new goroutine takes its place. Without a task,
// w was dismissed or the sink panicked, which must stay visible.
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
