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

// A space is the room that tasks take in several pools, and the Submits that wait for it. All
// methods are called with the mutex held of the strategy that it belongs to.
type space struct {
	of  []room // by pool
	any line   // Submits of tasks that may go to any pool
	seq uint64 // tasks and blocked Submits so far
}

// A room is that of a pool.
type room struct {
	most   int  // tasks accepted and not done
	inside int  // as many there are
	line   line // Submits that wait for it
}

// anyPool is where a task goes whose class has no pool: to the first free slot of all.
const anyPool = -1

// find returns the pool whose room a task takes that goes there, or -1 if there is none. One that
// may go anywhere takes it where there is most, so that it is in nobody's way as long as possible.
// Whenever a pool has room nobody waits for it.
func (r *space) find(to int) int {
	if to != anyPool {
		if l := &r.of[to]; l.inside < l.most {
			return to
		}
		return -1
	}
	best, most := -1, 0
	for i := range r.of {
		if room := r.of[i].most - r.of[i].inside; room > 0 && room >= most {
			best, most = i, room
		}
	}
	return best
}

// take counts a task into the room of a pool, and returns its number.
func (r *space) take(pool int) uint64 {
	r.of[pool].inside++
	r.seq++
	return r.seq
}

// free gives room in a pool back, and returns the Submit that has waited for it longest; nil: none
// waits.
func (r *space) free(pool int) *blocked {
	l := &r.of[pool]
	l.inside--
	if a := r.any.first; a != nil && (l.line.first == nil || a.seq < l.line.first.seq) {
		return a
	}
	return l.line.first
}

// lineOf is where the tasks of a pool wait for room.
func (r *space) lineOf(to int) *line {
	if to == anyPool {
		return &r.any
	}
	return &r.of[to].line
}

// block puts a Submit at the end of the line of the pool that its task goes to.
func (r *space) block(t *strategies.Task, to int) *blocked {
	b := r.lineOf(to).join(t)
	r.seq++
	b.to, b.seq = to, r.seq
	return b
}
