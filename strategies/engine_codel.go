package strategies

import (
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// A codelQueue is the queue of codel_lifo: which task is next, and which have waited too long.
type codelQueue struct {
	target, interval time.Duration

	// Tasks with one timeout become overdue in the order in which they came, so each timeout has a
	// line of its own.
	calm, pressed ring[waiting]
	since         time.Duration // when the queue was empty last, if it is not now
	late          []*Task       // overdue, and not yet shed
	draining      bool          // nothing becomes overdue any more
}

func newCodelQueue(v param.Values) codelQueue {
	return codelQueue{target: v.Duration("target"), interval: v.Duration("interval")}
}

// overloaded says whether the queue, which is not empty, has not been for the interval.
func (q *codelQueue) overloaded(now time.Duration) bool { return now-q.since >= q.interval }

// push returns how long w may wait.
func (q *codelQueue) push(w waiting, now time.Duration) (timeout time.Duration) {
	q.shed(now)
	if q.calm.n+q.pressed.n == 0 {
		q.since = now
	}
	line, timeout := &q.calm, q.interval
	if q.overloaded(now) {
		line, timeout = &q.pressed, q.target
	}
	line.pushBack(w)
	return timeout
}

// pop takes the newest under overload, otherwise the oldest.
func (q *codelQueue) pop(now time.Duration) (waiting, bool) {
	q.shed(now)
	switch {
	case q.calm.n+q.pressed.n == 0:
		return waiting{}, false
	case q.overloaded(now):
		if q.calm.n == 0 || q.pressed.n > 0 &&
			q.pressed.at(q.pressed.n-1).seq > q.calm.at(q.calm.n-1).seq {
			return q.pressed.popBack(), true
		}
		return q.calm.popBack(), true
	case q.calm.n == 0 || q.pressed.n > 0 && q.pressed.at(0).seq < q.calm.at(0).seq:
		return q.pressed.popFront(), true
	}
	return q.calm.popFront(), true
}

// shed takes what is overdue out of the queue. No alarm is later than the first is due, so that
// somebody asks for them at once.
func (q *codelQueue) shed(now time.Duration) {
	if q.draining {
		return
	}
	for q.calm.n > 0 && now-q.calm.at(0).came >= q.interval {
		q.late = append(q.late, q.calm.popFront().task)
	}
	for q.pressed.n > 0 && now-q.pressed.at(0).came >= q.target {
		q.late = append(q.late, q.pressed.popFront().task)
	}
}

// takeLate takes what is overdue.
func (q *codelQueue) takeLate(now time.Duration) []*Task {
	q.shed(now)
	late := q.late
	q.late = nil
	return late
}

// overdueAt is when the next task becomes overdue; false: none does.
func (q *codelQueue) overdueAt() (at time.Duration, ok bool) {
	if q.draining {
		return 0, false
	}
	if q.calm.n > 0 {
		at, ok = q.calm.at(0).came+q.interval, true
	}
	if q.pressed.n > 0 {
		if pressed := q.pressed.at(0).came + q.target; !ok || pressed < at {
			at, ok = pressed, true
		}
	}
	return at, ok
}

// keepAll has nothing become overdue any more, and returns what is already.
func (q *codelQueue) keepAll() []*Task {
	q.draining = true
	late := q.late
	q.late = nil
	return late
}

// empty takes all tasks.
func (q *codelQueue) empty() []*Task {
	late := q.late
	q.late = nil
	return emptied(&q.pressed, emptied(&q.calm, late))
}
