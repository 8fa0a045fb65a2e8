package strategies

// waiters are the Submits that wait for room in a dispatch, in the order in which they came. All
// methods are called with its mutex held.
type waiters struct {
	first, last *waiter
	// a stack of waiters that are over, so that to wait allocates nothing either
	unused *waiter
}

// A waiter is one of them.
type waiter struct {
	task       *Task         // nil: accepted
	accepted   chan struct{} // gets one element then
	next, prev *waiter
}

// join puts a Submit at the end. It must leave when its wait is over.
func (l *waiters) join(t *Task) *waiter {
	w := l.unused
	if w == nil {
		w = &waiter{accepted: make(chan struct{}, 1)}
	} else {
		l.unused = w.next
	}
	w.task, w.prev, w.next = t, l.last, nil
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
	return w
}

// accept takes the first out of the line, and returns its task and the channel to be told on, after
// the mutex is released.
func (l *waiters) accept() (*Task, chan<- struct{}) {
	w := l.first
	t := w.task
	l.remove(w)
	return t, w.accepted
}

// leave ends a wait, accepted or given up.
func (l *waiters) leave(w *waiter) {
	if w.task != nil {
		l.remove(w)
	}
	w.next = l.unused
	l.unused = w
}

func (l *waiters) remove(w *waiter) {
	if w.prev == nil {
		l.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.task, w.prev, w.next = nil, nil, nil
}
