package advise

import (
	"math"

	"github.com/poolbench/poolbench/internal/recursion"
)

// anyQueue is a queue that is never full.
const anyQueue = math.MaxInt32

// shed marks the wait of a task that found the queue full.
const shed = recursion.Shed

// A line puts samples through pools.
type line struct{ pool recursion.Pool }

// serve puts tasks, by their due times, through limit slots in the order in which they come. Who
// finds all slots taken and queue tasks waiting is shed. It returns the waits, which the next call
// overwrites.
func (l *line) serve(s sample, limit, queue int) []int64 {
	l.pool.Run(s.due, s.service, min(limit, len(s.due)), queue)
	waits := l.pool.Responses()
	for i, response := range waits {
		if response != shed {
			waits[i] = response - s.service[i]
		}
	}
	return waits
}

// longest is the longest queue of tasks that waited so long, in the order in which they came: of
// the accepted, so many as start after a task was due, and that task.
func longest(due, waits []int64) (most int) {
	oldest, waiting := 0, 0
	for i, wait := range waits {
		for oldest < i && (waits[oldest] == shed || due[oldest]+waits[oldest] <= due[i]) {
			if waits[oldest] > 0 {
				waiting--
			}
			oldest++
		}
		if wait > 0 {
			waiting++
			most = max(most, waiting)
		}
	}
	return most
}
