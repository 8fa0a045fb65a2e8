package strategies

import "context"

// A line is the Submits that wait for room, in the order in which they came. It is linked in both
// directions because any of them may be given up.
type line struct{ first, last *blocked }

// A blocked is a Submit in a line. It lives as long as the instance, and serves one Submit after
// another.
type blocked struct {
	task       *Task
	to         int // pool, or anyPool
	seq        uint64
	in         *line // nil: not in any, because it was let in
	prev, next *blocked
	let        chan struct{} // has room for the one element that says so
}

// block puts a Submit at the end of the line of the pool that its task goes to.
func (w *pools) block(t *Task, to int) *blocked {
	b := w.spare
	if b == nil {
		b = &blocked{let: make(chan struct{}, 1)}
	} else {
		w.spare = b.next
	}
	l := &w.any.line
	if to != anyPool {
		l = &w.pool[to].line
	}
	w.seq++
	b.task, b.to, b.seq, b.in = t, to, w.seq, l
	b.prev, b.next = l.last, nil
	if l.last != nil {
		l.last.next = b
	} else {
		l.first = b
	}
	l.last = b
	return b
}

// unlink takes b out of its line.
func (b *blocked) unlink() {
	if b.prev != nil {
		b.prev.next = b.next
	} else {
		b.in.first = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	} else {
		b.in.last = b.prev
	}
	b.in = nil
}

// let accepts the task of a Submit that waits.
func (w *pools) let(b *blocked, room int) {
	b.unlink()
	w.accept(b.task, b.to, room)
	b.let <- struct{}{}
}

// wait returns when the Submit has been let in, or has to be given up. If both happen, it is let
// in: its task may have run.
func (w *pools) wait(ctx context.Context, b *blocked) (err error) {
	select {
	case <-b.let:
		w.mu.Lock()
	case <-ctx.Done():
		err = w.giveUpWaiting(b, ctx.Err())
	case <-w.closing:
		err = w.giveUpWaiting(b, ErrClosed)
	}
	b.task, b.prev, b.next = nil, nil, w.spare
	w.spare = b
	w.mu.Unlock()
	if err != nil {
		w.leave()
	}
	return err
}

// giveUpWaiting takes b out of its line and returns err, or nil if it was let in meanwhile. It
// leaves mu held.
func (w *pools) giveUpWaiting(b *blocked, err error) error {
	w.mu.Lock()
	if b.in == nil {
		<-b.let
		return nil
	}
	b.unlink()
	return err
}
