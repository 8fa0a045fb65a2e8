package bench

import (
	"cmp"
	"time"

	"github.com/poolbench/poolbench/bench/records"
)

// heldFrom is what counts as held under the real clock: Submit takes a microsecond or so where it
// does not wait, and now and then the processor. Under the virtual clock only waiting takes time.
const heldFrom = 100 * time.Microsecond

// A held is how the measured tasks stood before the strategy: from due until it took them, less
// what the generator was late by itself. A generator that is held in Submit brings the tasks behind
// late, so that these are held as well.
type held struct {
	share float64 // of the tasks
	mean  float64 // of all, in nanoseconds
	ever  bool    // any task of the run, warm-up included
}

func (o *observation) held(first int) held {
	n := float64(o.trace.Len() - first)
	sum := heldSum{per: n}
	for i, lag := range o.trace.Lags() {
		sum.add(o, o.trace.At(i), lag, i >= first)
	}
	return held{share: sum.count / n, mean: sum.total, ever: sum.ever}
}

// A heldSum sums up how tasks stood, each divided by per.
type heldSum struct {
	per, total, count float64
	ever              bool
}

func (h *heldSum) add(o *observation, r *records.Record, lag int64, counts bool) {
	least := int64(0)
	if !o.plan.Virtual {
		least = int64(heldFrom)
	}
	stood := cmp.Or(r.Left, r.Issue) - r.Due - lag // where nobody has said, nothing held it
	h.ever = h.ever || stood > least
	if counts {
		h.total += float64(stood) / h.per
		if stood > least {
			h.count++
		}
	}
}

// heldSuspect is the share of the tasks from which a full queue is a reason: a p99 is made by no
// more of them.
const heldSuspect = 0.01

// checkHeld looks for tasks that stood before a full queue, where the strategy says that it keeps
// classes of tasks apart, puts them in order or lets them take turns: what it has not got it cannot
// sort, and the tasks were served in the order in which they came.
func (o *observation) checkHeld(r *Result, h held) {
	spec := o.plan.Strategy
	promise := ""
	switch {
	case spec.ClassPools != nil && !o.plan.Arrival.IsClosed():
		// of clients, each class has a door of its own
		promise = "keep classes of tasks apart"
	case spec.UsesSize:
		promise = "order tasks by their size"
	case spec.Quantum != nil && !spec.Splits:
		promise = "let tasks take turns"
	}
	if promise == "" || !spec.UsesQueue || h.share < heldSuspect {
		return
	}
	r.Doubt(Suspect, checkHeldUp, "%s of the tasks stood before a full queue of %d slots, %s on "+
		"average, where the strategy could not %s: without a queue given it is never full",
		percent("%s", h.share), o.plan.Params.Queue, spell(h.mean), promise)
}
