package advise

import "math"

// anyQueue is a queue that is never full.
const anyQueue = math.MaxInt32

// shed marks the wait of a task that found the queue full.
const shed = -1

// A line is the scratch memory of the Kiefer–Wolfowitz recursion.
type line struct {
	free   []int64 // when each slot becomes free: a heap
	starts []int64 // of the accepted tasks
	wait   []int64 // of each task, or shed
}

// serve puts tasks, by their due times, through limit slots in the order in which they come. Who
// finds all slots taken and queue tasks waiting is shed. It returns the waits, which the next call
// overwrites, and the longest queue.
func (l *line) serve(s sample, limit, queue int) (wait []int64, longest int) {
	limit = min(limit, len(s.due))
	l.free = append(l.free[:0], make([]int64, limit)...)
	for i := range l.free {
		l.free[i] = -1 << 62
	}
	l.starts, l.wait = l.starts[:0], l.wait[:0]
	begun := 0
	for i, due := range s.due {
		start := due
		if at := l.free[0]; at > due {
			start = at
			for begun < len(l.starts) && l.starts[begun] <= due {
				begun++
			}
			waiting := len(l.starts) - begun
			if waiting >= queue {
				l.wait = append(l.wait, shed)
				continue
			}
			longest = max(longest, waiting+1)
		}
		l.starts = append(l.starts, start)
		l.wait = append(l.wait, start-due)
		l.take(start + s.service[i])
	}
	return l.wait, longest
}

// take lets the slot that is free first be taken until then.
func (l *line) take(until int64) {
	i, n := 0, len(l.free)
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && l.free[child+1] < l.free[child] {
			child++
		}
		if l.free[child] >= until {
			break
		}
		l.free[i] = l.free[child]
		i = child
	}
	l.free[i] = until
}
