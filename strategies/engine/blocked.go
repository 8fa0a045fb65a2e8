package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// line is a FIFO of Submits that wait for room. Any of them may give up. The caller holds the mutex
// of the strategy.
type line struct {
	first, last *blocked
	// stack of free elements, so waiting does not allocate
	unused *blocked
}

type blocked struct {
	task       *strategies.Task
	to         int // pool or anyPool
	seq        uint64
	line       *line // nil after the Submit was admitted
	prev, next *blocked
	// receives one element when the Submit is admitted; its buffer has room for it
	admitted chan struct{}
}

// The Submit must call Leave after its wait.
func (l *line) join(t *strategies.Task) *blocked {
	b := l.unused
	if b == nil {
		b = &blocked{admitted: make(chan struct{}, 1)}
	} else {
		l.unused = b.next
	}
	b.task, b.line, b.prev, b.next = t, l, l.last, nil
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
		b.line.first = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	} else {
		b.line.last = b.prev
	}
	t := b.task
	b.task, b.line, b.prev, b.next = nil, nil, nil, nil
	return t
}

// Leave reports whether the Submit was admitted. An admission takes precedence over giving up,
// because the task may have run.
func (l *line) Leave(b *blocked, letIn bool) bool {
	switch {
	case b.line != nil:
		b.unlink()
	case !letIn:
		<-b.admitted
		letIn = true
	}
	b.next = l.unused
	l.unused = b
	return letIn
}

func (l *Lifecycle) untilLet(ctx context.Context, b *blocked) error {
	select {
	case <-b.admitted:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.closing:
		return strategies.ErrClosed
	}
}

// waitInLine locks mu.
func (l *Lifecycle) waitInLine(
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

type admission struct {
	rooms []room // by pool
	any   line   // Submits of tasks that may run in any pool
	seq   uint64 // number of tasks and blocked Submits so far
}

type room struct {
	most   int  // maximum of inside
	inside int  // tasks accepted and not done
	line   line // Submits that wait for this room
}

// anyPool is the destination of a task whose class has no pool. It uses the first free slot.
const anyPool = -1

// findRoom returns -1 if there is no room. A task for anyPool uses the pool with the most room.
func (r *admission) findRoom(to int) int {
	if to != anyPool {
		if l := &r.rooms[to]; l.inside < l.most {
			return to
		}
		return -1
	}
	best, most := -1, 0
	for i := range r.rooms {
		if room := r.rooms[i].most - r.rooms[i].inside; room > 0 && room >= most {
			best, most = i, room
		}
	}
	return best
}

func (r *admission) useRoom(pool int) uint64 {
	r.rooms[pool].inside++
	r.seq++
	return r.seq
}

// freeRoom returns the Submit that has waited longest for this room, if any, which the caller must
// unlink.
func (r *admission) freeRoom(pool int) *blocked {
	l := &r.rooms[pool]
	l.inside--
	if a := r.any.first; a != nil && (l.line.first == nil || a.seq < l.line.first.seq) {
		return a
	}
	return l.line.first
}

func (r *admission) lineOf(to int) *line {
	if to == anyPool {
		return &r.any
	}
	return &r.rooms[to].line
}

func (r *admission) block(t *strategies.Task, to int) *blocked {
	b := r.lineOf(to).join(t)
	r.seq++
	b.to, b.seq = to, r.seq
	return b
}
