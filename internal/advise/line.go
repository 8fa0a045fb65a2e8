package advise

import (
	"math"
	"time"

	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/targets"
)

// anyQueue is a queue that is never full.
const anyQueue = math.MaxInt32

// shed and refused mark the wait of a task that found the queue full, or that the target refused.
const (
	shed    = recursion.Shed
	refused = recursion.Refused
)

// A line is a pool whose tasks start in the order in which they come, under some stress.
type line struct {
	limit, queue  int
	pace          recursion.Pace
	freeze        recursion.Freeze
	target        string // that refuses by a policy; "": none
	load, service float64
}

func plainLine(limit, queue int) line {
	return line{limit: limit, queue: queue, load: 1, service: 1}
}

// serve puts tasks, by their due times, through the slots in the order in which they come. Who
// finds all slots taken and queue tasks waiting is shed, but with a pace, a freeze or a target. It
// returns the waits, or that a task was shed or refused, and how long each had its slot.
func (l line) serve(s sample) (waits, held []int64) {
	pool := recursion.Pool{Pace: l.pace, Freeze: l.freeze, Gate: l.gate()}
	pool.Run(s.due, s.service, max(1, min(l.limit, len(s.due))), l.queue)
	waits, held = pool.Responses(), pool.Occupied()
	for i, response := range waits {
		if response >= 0 {
			waits[i] = response - held[i]
		}
	}
	return waits, held
}

// gate is the policy of the target; nil: none.
func (l line) gate() recursion.Gate {
	if l.target == "" {
		return nil
	}
	policy := targets.PolicyFor(targets.MustParse(l.target))
	return func(at int64) (wait int64, admitted bool) {
		d := policy.Admit(time.Duration(at))
		return int64(d.Wait), d.Admitted
	}
}

// longest is the longest queue of tasks that waited so long, in the order in which they came: of
// the accepted, so many as start after a task was due, and that task.
func longest(due, waits []int64) (most int) {
	oldest, waiting := 0, 0
	for i, wait := range waits {
		for oldest < i && (waits[oldest] < 0 || due[oldest]+waits[oldest] <= due[i]) {
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
