package engine

import (
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// A CodelQueue is the queue of codel_lifo. It chooses the next task and finds overdue ones.
type CodelQueue struct {
	target, interval time.Duration

	// Tasks accepted without overload (calm) have the timeout interval, others (pressed) the
	// timeout target. Each ring is in order of the deadlines.
	calm, pressed ring[Waiting]
	since         time.Duration      // when the queue last became non-empty
	late          []*strategies.Task // overdue tasks that are not yet shed
	Draining      bool               // whether tasks no longer become overdue
}

// NewCodelQueue reads the parameters target and interval.
func NewCodelQueue(v param.Values) CodelQueue {
	return CodelQueue{target: v.Duration("target"), interval: v.Duration("interval")}
}

// The queue must not be empty.
func (q *CodelQueue) overloaded(now time.Duration) bool { return now-q.since >= q.interval }

// Push adds w and returns how long it may wait.
func (q *CodelQueue) Push(w Waiting, now time.Duration) (timeout time.Duration) {
	q.shed(now)
	if q.calm.Len+q.pressed.Len == 0 {
		q.since = now
	}
	line, timeout := &q.calm, q.interval
	if q.overloaded(now) {
		line, timeout = &q.pressed, q.target
	}
	line.pushBack(w)
	return timeout
}

// Pop returns the newest task under overload, otherwise the oldest.
func (q *CodelQueue) Pop(now time.Duration) (Waiting, bool) {
	q.shed(now)
	switch {
	case q.calm.Len+q.pressed.Len == 0:
		return Waiting{}, false
	case q.overloaded(now):
		if q.calm.Len == 0 || q.pressed.Len > 0 &&
			q.pressed.At(q.pressed.Len-1).Seq > q.calm.At(q.calm.Len-1).Seq {
			return q.pressed.popBack(), true
		}
		return q.calm.popBack(), true
	case q.calm.Len == 0 || q.pressed.Len > 0 && q.pressed.At(0).Seq < q.calm.At(0).Seq:
		return q.pressed.PopFront(), true
	}
	return q.calm.PopFront(), true
}

// The timer for OverdueAt has fired when shed finds a task, so the owner is about to call TakeLate.
func (q *CodelQueue) shed(now time.Duration) {
	if q.Draining {
		return
	}
	for q.calm.Len > 0 && now-q.calm.At(0).Came >= q.interval {
		q.late = append(q.late, q.calm.PopFront().Task)
	}
	for q.pressed.Len > 0 && now-q.pressed.At(0).Came >= q.target {
		q.late = append(q.late, q.pressed.PopFront().Task)
	}
}

// TakeLate removes and returns the overdue tasks.
func (q *CodelQueue) TakeLate(now time.Duration) []*strategies.Task {
	q.shed(now)
	late := q.late
	q.late = nil
	return late
}

// OverdueAt returns the instant at which the next task becomes overdue, or false.
func (q *CodelQueue) OverdueAt() (at time.Duration, ok bool) {
	if q.Draining {
		return 0, false
	}
	if q.calm.Len > 0 {
		at, ok = q.calm.At(0).Came+q.interval, true
	}
	if q.pressed.Len > 0 {
		if pressed := q.pressed.At(0).Came + q.target; !ok || pressed < at {
			at, ok = pressed, true
		}
	}
	return at, ok
}

// KeepAll stops further tasks from becoming overdue and returns those that already are.
func (q *CodelQueue) KeepAll() []*strategies.Task {
	q.Draining = true
	late := q.late
	q.late = nil
	return late
}

// Empty removes and returns all tasks.
func (q *CodelQueue) Empty() []*strategies.Task {
	late := q.late
	q.late = nil
	return emptied(&q.pressed, emptied(&q.calm, late))
}
