package advise

import (
	"math"
	"time"

	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/targets"
)

const unboundedQueue = math.MaxInt32

// waits of a task that found the queue full, or that the target refused
const (
	shed    = recursion.Shed
	refused = recursion.Refused
)

type line struct {
	limit, queue  int
	pace          recursion.Pace
	freeze        recursion.Freeze
	target        string // refuses by a policy, or ""
	load, service float64
}

func unstressedLine(limit, queue int) line {
	return line{limit: limit, queue: queue, load: 1, service: 1}
}

// serve returns the waits, or marks for shed and refused tasks, and the time that each task held
// its slot. Only without a pace, a freeze and a target is the queue bounded.
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

// When a task is due, the queue is that task and the accepted earlier tasks that start later.
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
