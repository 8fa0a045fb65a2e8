package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A line is the Submits that wait for room, in the order in which they came. It is linked in both
// directions because any of them may be given up. All methods are called with the mutex held of
// the strategy that it belongs to.
type line struct {
	first, last *blocked
	// a stack of those that are over, so that to wait allocates nothing either
	unused *blocked
}

// A blocked is a Submit in a line. It lives as long as the instance, and serves one Submit after
// another.
type blocked struct {
	task       *strategies.Task
	to         int // pool, or anyPool
	seq        uint64
	in         *line // nil: not in any, because it was let in
	prev, next *blocked
	let        chan struct{} // has room for the one element that says so
}

// join puts a Submit at the end. It must leave when its wait is over.
func (l *line) join(t *strategies.Task) *blocked {
	b := l.unused
	if b == nil {
		b = &blocked{let: make(chan struct{}, 1)}
	} else {
		l.unused = b.next
	}
	b.task, b.in, b.prev, b.next = t, l, l.last, nil
	if l.last != nil {
		l.last.next = b
	} else {
		l.first = b
	}
	l.last = b
	return b
}

// unlink takes b out of its line and returns its task.
func (b *blocked) unlink() *strategies.Task {
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
	t := b.task
	b.task, b.in, b.prev, b.next = nil, nil, nil, nil
	return t
}

// Leave ends a wait, and reports whether the Submit was let in. If it was, and also had to be given
// up, it is let in: its task may have run.
func (l *line) Leave(b *blocked, letIn bool) bool {
	switch {
	case b.in != nil:
		b.unlink()
	case !letIn:
		<-b.let
		letIn = true
	}
	b.next = l.unused
	l.unused = b
	return letIn
}

// untilLet waits until b is let in, ctx ends or the intake closes: then the error says which.
func (l *Lifecycle) untilLet(ctx context.Context, b *blocked) error {
	select {
	case <-b.let:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.closing:
		return strategies.ErrClosed
	}
}

// stand has a Submit wait in its line, whose mutex it takes, until it is let in or has to be given
// up.
func (l *Lifecycle) stand(
	ctx context.Context, mu *sync.Mutex, in *line, b *blocked,
) error {
	err := l.untilLet(ctx, b)
	mu.Lock()
	letIn := in.Leave(b, err == nil)
	mu.Unlock()
	if letIn {
		return nil
	}
	l.Leave()
	return err
}

// lineOf is where the tasks of a pool wait for room.
func (w *Pools) lineOf(to int) *line {
	if to == anyPool {
		return &w.any.line
	}
	return &w.pool[to].line
}

// block puts a Submit at the end of the line of the pool that its task goes to.
func (w *Pools) block(t *strategies.Task, to int) *blocked {
	b := w.lineOf(to).join(t)
	w.seq++
	b.to, b.seq = to, w.seq
	return b
}

// let accepts the task of a Submit that waits.
func (w *Pools) let(b *blocked, room int) {
	w.accept(b.unlink(), b.to, room)
	b.let <- struct{}{}
}
