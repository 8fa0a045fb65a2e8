package strategies

// dropAll settles what waits in the queues.
func (w *pools) dropAll() {
	for {
		e, r, any := w.dropOne()
		switch {
		case !any:
			return
		case e.task == nil: // a part of a task that is not over yet
		case w.home != nil:
			w.home.post(e, r)
		default:
			w.settle(e.task, r)
		}
	}
}

// dropOne takes an entry out of a queue and returns the task that comes to its end by that, if one
// does.
func (w *pools) dropOne() (e entry, r Result, any bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := &w.any.queue
	for i := 0; q.n == 0; i++ {
		if i == len(w.pool) {
			return entry{}, Result{}, false
		}
		q = &w.pool[i].queue
	}
	e = q.popFront()
	r = Result{Err: w.outcome(e)}
	if e.of != nil {
		var ended bool
		if e, r, ended = w.advance(e, r); !ended {
			e = entry{}
		}
	}
	return e, r, true
}

// outcome is the error of an entry that will not run because ctx has ended; it is counted as
// abandoned only if it never did.
func (w *pools) outcome(e entry) error {
	if e.started || e.of != nil {
		return w.endedBy()
	}
	return w.giveUp()
}

// wakeAll lets the sleeping workers see that the instance is idle.
func (w *pools) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.pool {
		w.pool[i].idle = 0
		w.pool[i].wake.Broadcast()
	}
	if w.home != nil {
		w.home.wakeUp()
	}
}
