package engine

import (
	"math/bits"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// ring is a double-ended queue. It never shrinks, so the steady state does not allocate.
type ring[T any] struct {
	slots []T // its length is zero or a power of two
	first int // index of the oldest element, modulo len(slots)
	Len   int
}

func (q *ring[T]) At(i int) *T { return &q.slots[(q.first+i)&(len(q.slots)-1)] }

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

func (q *ring[T]) pushBack(v T) {
	q.grow()
	*q.At(q.Len) = v
	q.Len++
}

func (q *ring[T]) PopFront() T {
	v, none := *q.At(0), *new(T)
	*q.At(0) = none
	q.first++
	q.Len--
	return v
}

func (q *ring[T]) popBack() T {
	v, none := *q.At(q.Len - 1), *new(T)
	*q.At(q.Len - 1) = none
	q.Len--
	return v
}

// Plain provides empty Ended and Wake methods.
type Plain struct{}

// Ended implements Discipline.
func (Plain) Ended(Waiting, TaskEnd) {}

// Wake implements Discipline.
func (Plain) Wake(time.Duration) []*strategies.Task { return nil }

// A FIFO is the first come, first served discipline.
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

func emptied(q *ring[Waiting], tasks []*strategies.Task) []*strategies.Task {
	for q.Len > 0 {
		tasks = append(tasks, q.PopFront().Task)
	}
	return tasks
}

// A channel does not suffice, because a task between steps must always find room and may go to the
// front.
type entries struct{ ring[entry] }

// insert puts e before the first entry with an equal or larger seq.
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

func (q *entries) remove(unwanted func(entry) bool) {
	for range q.Len {
		if e := q.PopFront(); !unwanted(e) {
			q.pushBack(e)
		}
	}
}

// Before compares keys, then sequence numbers.
func (w *Waiting) Before(o *Waiting) bool { return w.before(o) == 1 }

// before returns 1 or 0, because mispredicted branches took half of the time of a large heap.
func (w *Waiting) before(o *Waiting) uint64 {
	const sign = 1 << 63
	_, borrow := bits.Sub64(w.Seq, o.Seq, 0)
	_, borrow = bits.Sub64(uint64(w.Key)^sign, uint64(o.Key)^sign, borrow)
	return borrow
}

// Key rounds x to a Waiting.Key. It caps x at ±2⁶², which is 146 years in nanoseconds.
func Key(x float64) int64 { return int64(max(-1<<62, min(x, 1<<62))) }

// A Heap is a binary heap. container/heap would allocate for each element.
type Heap []Waiting

// Push adds a task.
func (h *Heap) Push(w Waiting) {
	*h = append(*h, w)
	h.rise(len(*h)-1, w)
}

func (h *Heap) rise(i int, w Waiting) {
	q := *h
	for i > 0 && w.Before(&q[(i-1)/2]) {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = w
}

// Pop removes the first task of a non-empty heap. It moves the hole down to a leaf, where the last
// task nearly always belongs.
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

// First removes and returns the first task, if any.
func (h *Heap) First() (Waiting, bool) {
	if len(*h) == 0 {
		return Waiting{}, false
	}
	return h.Pop(), true
}

// Empty removes all tasks in order and appends them to tasks.
func (h *Heap) Empty(tasks []*strategies.Task) []*strategies.Task {
	for len(*h) > 0 {
		tasks = append(tasks, h.Pop().Task)
	}
	return tasks
}
