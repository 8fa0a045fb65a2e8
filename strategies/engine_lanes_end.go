package strategies

// dropAll settles what waits in the queues.
func (w *lanes) dropAll() {
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
func (w *lanes) dropOne() (e entry, r Result, any bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := &w.any.queue
	for i := 0; q.n == 0; i++ {
		if i == len(w.lane) {
			return entry{}, Result{}, false
		}
		q = &w.lane[i].queue
	}
	e = q.popFront()
	r = Result{Err: w.fate(e)}
	if e.of != nil {
		var ended bool
		if e, r, ended = w.advance(e, r); !ended {
			e = entry{}
		}
	}
	return e, r, true
}

// fate is the error of an entry that will not run because ctx has ended; it is counted as abandoned
// only if it never did.
func (w *lanes) fate(e entry) error {
	if e.started || e.of != nil {
		return w.endedBy()
	}
	return w.giveUp()
}

// wakeAll lets the sleeping workers see that the instance is idle.
func (w *lanes) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.lane {
		w.lane[i].idle = 0
		w.lane[i].wake.Broadcast()
	}
	if w.home != nil {
		w.home.wakeUp()
	}
}
