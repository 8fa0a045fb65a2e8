package engine

import (
	"math/bits"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// A ring is a queue that can be taken from both ends. It doubles when it is full and never shrinks,
// so that in the steady state nothing is allocated; slots that are free refer to nothing.
type ring[T any] struct {
	slots []T // a power of two of them, or none
	first int // the oldest
	Len   int
}

// At returns the slot of the i-th oldest.
func (q *ring[T]) At(i int) *T { return &q.slots[(q.first+i)&(len(q.slots)-1)] }

// grow makes room for one more.
func (q *ring[T]) grow() {
	if q.Len < len(q.slots) {
		return
	}
	grown := make([]T, max(16, 2*q.Len))
	for i := range q.Len {
		grown[i] = *q.At(i)
	}
	q.slots, q.first = grown, 0
}

// pushBack adds the newest.
func (q *ring[T]) pushBack(v T) {
	q.grow()
	*q.At(q.Len) = v
	q.Len++
}

// PopFront takes the oldest of at least one.
func (q *ring[T]) PopFront() T {
	v, none := *q.At(0), *new(T)
	*q.At(0) = none
	q.first++
	q.Len--
	return v
}

// popBack takes the newest of at least one.
func (q *ring[T]) popBack() T {
	v, none := *q.At(q.Len - 1), *new(T)
	*q.At(q.Len - 1) = none
	q.Len--
	return v
}

// Plain is embedded by disciplines that ignore the ends of tasks and need no wake-up.
type Plain struct{}

// Ended implements Discipline.
func (Plain) Ended(Waiting, Ending) {}

// Wake implements Discipline.
func (Plain) Wake(time.Duration) []*strategies.Task { return nil }

// A FIFO is the plainest discipline: first come, first served, as soon as there is a slot. Others
// embed it and change one thing.
type FIFO struct {
	Plain
	Line ring[Waiting]
}

// Push implements Discipline.
func (q *FIFO) Push(w Waiting, _ time.Duration) { q.Line.pushBack(w) }

// Pop implements Discipline.
func (q *FIFO) Pop(time.Duration) (Waiting, bool) {
	if q.Line.Len == 0 {
		return Waiting{}, false
	}
	return q.Line.PopFront(), true
}

// Empty implements Discipline.
func (q *FIFO) Empty() []*strategies.Task { return emptied(&q.Line, nil) }

// emptied takes all out of the queue, the oldest first, and appends them to tasks.
func emptied(q *ring[Waiting], tasks []*strategies.Task) []*strategies.Task {
	for q.Len > 0 {
		tasks = append(tasks, q.PopFront().Task)
	}
	return tasks
}

// Entries are the queue of a pool. Not a channel, because what comes back from its turn must always
// find room, and be able to go to the front.
type entries struct{ ring[entry] }

// insert puts e before the first entry that does not come before it. Few do: it looks for its
// position from the front.
func (q *entries) insert(e entry) {
	q.grow()
	q.first = (q.first - 1) & (len(q.slots) - 1)
	q.Len++
	i := 0
	for ; i+1 < q.Len && q.At(i+1).seq < e.seq; i++ {
		*q.At(i) = *q.At(i + 1)
	}
	*q.At(i) = e
}

// remove takes out all entries that are unwanted and keeps the order of the others.
func (q *entries) remove(unwanted func(entry) bool) {
	for range q.Len {
		if e := q.PopFront(); !unwanted(e) {
			q.pushBack(e)
		}
	}
}

// Before reports whether w goes before o: by key, equal keys in the order of acceptance.
func (w *Waiting) Before(o *Waiting) bool { return w.before(o) == 1 }

// before is Before as 1 or 0, without a branch: which of two tasks goes first is what a processor
// cannot foresee, and guesses took half of the time of a large heap.
func (w *Waiting) before(o *Waiting) uint64 {
	const sign = 1 << 63
	_, borrow := bits.Sub64(w.Seq, o.Seq, 0)
	_, borrow = bits.Sub64(uint64(w.Key)^sign, uint64(o.Key)^sign, borrow)
	return borrow
}

// Key rounds x to a Waiting.Key, capped at some 146 years in nanoseconds.
func Key(x float64) int64 { return int64(max(-1<<62, min(x, 1<<62))) }

// A Heap is a binary heap with the first task at the root. (container/heap would allocate for each
// element.)
type Heap []Waiting

// Push adds a task.
func (h *Heap) Push(w Waiting) {
	*h = append(*h, w)
	h.rise(len(*h)-1, w)
}

// rise puts w at i or above.
func (h *Heap) rise(i int, w Waiting) {
	q := *h
	for i > 0 && w.Before(&q[(i-1)/2]) {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = w
}

// Pop takes the first task; there must be one. The hole moves down to a leaf, where the last task
// belongs nearly always.
func (h *Heap) Pop() Waiting {
	q := *h
	first, last := q[0], q[len(q)-1]
	q[len(q)-1] = Waiting{}
	q = q[:len(q)-1]
	*h = q
	if len(q) == 0 {
		return first
	}
	i := 0
	for child := 1; child < len(q); child = 2*i + 1 {
		if child+1 < len(q) {
			child += int(q[child+1].before(&q[child]))
		}
		q[i] = q[child]
		i = child
	}
	h.rise(i, last)
	return first
}

// First takes the first task, if there is one.
func (h *Heap) First() (Waiting, bool) {
	if len(*h) == 0 {
		return Waiting{}, false
	}
	return h.Pop(), true
}

// Empty takes all tasks, in their order, and appends them to tasks.
func (h *Heap) Empty(tasks []*strategies.Task) []*strategies.Task {
	for len(*h) > 0 {
		tasks = append(tasks, h.Pop().Task)
	}
	return tasks
}
