package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A line is a FIFO of Submits that wait for room, doubly linked because any of them may give up.
// Methods require the mutex of the owning strategy.
type line struct {
	first, last *blocked
	// stack of free elements, so that waiting does not allocate
	unused *blocked
}

// A blocked is a Submit in a line. Elements are reused for the life of the instance.
type blocked struct {
	task       *strategies.Task
	to         int // pool, or anyPool
	seq        uint64
	in         *line // nil: not in any, because it was let in
	prev, next *blocked
	let        chan struct{} // has room for the one element that says so
}

// join appends a Submit, which must call Leave after its wait.
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

// Leave ends a wait and reports whether the Submit was let in. This takes precedence over giving
// up, because the task may have run.
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

// untilLet waits until b is let in, ctx ends or the intake closes. The error distinguishes the last
// two.
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

// stand makes a Submit wait in its line, whose mutex it locks.
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

// A space counts the room used in several pools and holds the Submits that wait for it. Methods
// require the mutex of the owning strategy.
type space struct {
	of  []room // by pool
	any line   // Submits of tasks that may go to any pool
	seq uint64 // tasks and blocked Submits so far
}

type room struct {
	most   int  // tasks accepted and not done
	inside int  // as many there are
	line   line // Submits that wait for it
}

// anyPool is the destination of a task whose class has no pool: the first free slot of any pool.
const anyPool = -1

// find returns the pool whose room a task for pool to uses, or -1. A task for any pool uses the
// pool with the most room. Nobody waits for a pool that has room.
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

// take uses room in a pool and returns the number of the task.
func (r *space) take(pool int) uint64 {
	r.of[pool].inside++
	r.seq++
	return r.seq
}

// free returns room to a pool and removes the Submit that has waited for it longest, or nil.
func (r *space) free(pool int) *blocked {
	l := &r.of[pool]
	l.inside--
	if a := r.any.first; a != nil && (l.line.first == nil || a.seq < l.line.first.seq) {
		return a
	}
	return l.line.first
}

func (r *space) lineOf(to int) *line {
	if to == anyPool {
		return &r.any
	}
	return &r.of[to].line
}

func (r *space) block(t *strategies.Task, to int) *blocked {
	b := r.lineOf(to).join(t)
	r.seq++
	b.to, b.seq = to, r.seq
	return b
}
