package strategies

import "time"

// A ring is a queue that can be taken from both ends. It doubles when it is full and never shrinks,
// so that in the steady state nothing is allocated; slots that are free refer to nothing.
type ring[T any] struct {
	slots []T // a power of two of them, or none
	first int // the oldest
	n     int
}

// at returns the slot of the i-th oldest.
func (q *ring[T]) at(i int) *T { return &q.slots[(q.first+i)&(len(q.slots)-1)] }

// grow makes room for one more.
func (q *ring[T]) grow() {
	if q.n < len(q.slots) {
		return
	}
	grown := make([]T, max(16, 2*q.n))
	for i := range q.n {
		grown[i] = *q.at(i)
	}
	q.slots, q.first = grown, 0
}

// pushBack adds the newest.
func (q *ring[T]) pushBack(v T) {
	q.grow()
	*q.at(q.n) = v
	q.n++
}

// popFront takes the oldest of at least one.
func (q *ring[T]) popFront() T {
	v, none := *q.at(0), *new(T)
	*q.at(0) = none
	q.first++
	q.n--
	return v
}

// popBack takes the newest of at least one.
func (q *ring[T]) popBack() T {
	v, none := *q.at(q.n - 1), *new(T)
	*q.at(q.n - 1) = none
	q.n--
	return v
}

// A fifo is the plainest discipline: first come, first served, as soon as there is a slot. Others
// embed it and change one thing.
type fifo struct{ line ring[waiting] }

func (q *fifo) push(w waiting, _ time.Duration) { q.line.pushBack(w) }

func (q *fifo) pop(time.Duration) (waiting, bool) {
	if q.line.n == 0 {
		return waiting{}, false
	}
	return q.line.popFront(), true
}

func (q *fifo) ended(waiting, ending) {}

func (q *fifo) wake(time.Duration) []*Task { return nil }

func (q *fifo) empty() []*Task { return emptied(&q.line, nil) }

// emptied takes all out of the queue, the oldest first, and appends them to tasks.
func emptied(q *ring[waiting], tasks []*Task) []*Task {
	for q.n > 0 {
		tasks = append(tasks, q.popFront().task)
	}
	return tasks
}
