package strategies

import "time"

// A ring is a queue of tasks that can be taken from both ends. It grows as needed and never shrinks, so that in the steady state
// nothing is allocated; slots that are free refer to no task.
type ring struct {
	slots []waiting // a power of two of them, or none
	first int       // the oldest
	n     int
}

// at returns the slot of the i-th oldest.
func (q *ring) at(i int) *waiting { return &q.slots[(q.first+i)&(len(q.slots)-1)] }

// pushBack adds the newest.
func (q *ring) pushBack(w waiting) {
	if q.n == len(q.slots) {
		grown := make([]waiting, max(16, 2*q.n))
		for i := range q.n {
			grown[i] = *q.at(i)
		}
		q.slots, q.first = grown, 0
	}
	*q.at(q.n) = w
	q.n++
}

// popFront takes the oldest of at least one.
func (q *ring) popFront() waiting {
	w := *q.at(0)
	*q.at(0) = waiting{}
	q.first++
	q.n--
	return w
}

// popBack takes the newest of at least one.
func (q *ring) popBack() waiting {
	w := *q.at(q.n - 1)
	*q.at(q.n - 1) = waiting{}
	q.n--
	return w
}

// empty takes all, the oldest first, and appends them to tasks.
func (q *ring) empty(tasks []*Task) []*Task {
	for q.n > 0 {
		tasks = append(tasks, q.popFront().task)
	}
	return tasks
}

// A fifo is the plainest discipline: first come, first served, as soon as there is a place. Others embed it and change one thing.
type fifo struct{ line ring }

func (q *fifo) push(w waiting, _ time.Duration) { q.line.pushBack(w) }

func (q *fifo) pop(time.Duration) (waiting, bool) {
	if q.line.n == 0 {
		return waiting{}, false
	}
	return q.line.popFront(), true
}

func (q *fifo) ended(waiting, ending) {}

func (q *fifo) wake(time.Duration) []*Task { return nil }

func (q *fifo) empty() []*Task { return q.line.empty(nil) }
