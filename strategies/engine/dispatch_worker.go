package engine

import "github.com/poolbench/poolbench/strategies"

type dispatchWorker struct {
	*Dispatch
	running *strategies.Task // task to report after a panic or Goexit
	page    *page            // shared page from which it got its task; nil if it did not
	woken   bool             // whether Dispatch.waking refers to this worker; guarded by the mutex
	wake    chan struct{}    // receives an element when the parked worker is woken or dismissed
}

// signal wakes w after wakeWorker. w may be nil.
func (w *dispatchWorker) signal() {
	if w != nil {
		w.wake <- struct{}{}
	}
}

// The Result goes directly from Run to finish in registers. A copy to another variable costs 5 ns
// because store forwarding stalls.
func (w *dispatchWorker) work(t *strategies.Task) {
	defer w.exit()
	for {
		if t == nil {
			if t = w.awaitTask(); t == nil {
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

func (w *dispatchWorker) release() *strategies.Task {
	s := w.Dispatch
	s.mu.Lock()
	s.inside--
	if w.page != nil {
		s.queue.quit(w.page)
	}
	var first *blocked
	if !s.sealed && s.waiters.first != nil {
		// No wakeWorker is needed, because the dispatch was full: all workers are busy, a worker is
		// about to run, or the queue is empty and this worker takes the task.
		first = s.waiters.first
		s.inside++
		s.queue.Push(first.unlink())
	}
	next := w.take()
	sealed := s.sealed
	s.mu.Unlock()
	if first != nil {
		first.admitted <- struct{}{}
	}
	if sealed {
		s.Leave()
	}
	return next
}

// The caller holds the mutex.
func (w *dispatchWorker) take() (t *strategies.Task) {
	s := w.Dispatch
	var claims int
	t, w.page, claims = s.queue.take(!s.sealed && s.waiters.first == nil)
	s.inside -= claims
	return t
}

func (w *dispatchWorker) awaitTask() *strategies.Task {
	s := w.Dispatch
	s.mu.Lock()
	for {
		t := w.take()
		var next *dispatchWorker
		if w.woken {
			w.woken, s.waking = false, false
			if s.busy < s.limit && !s.queue.Empty() {
				next = s.wakeWorker()
			}
		}
		if t != nil || s.dismissed {
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

// exit replaces the goroutine if a task ended it. Otherwise w was dismissed or the sink has
// panicked, and a panic of the sink must not be recovered.
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
