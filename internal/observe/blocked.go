package observe

import (
	"cmp"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// blockedFrom is what counts as blocked under the real clock: Submit takes a microsecond or so
// where it does not wait, and now and then the processor. Under the virtual clock only waiting
// takes time.
const blockedFrom = 100 * time.Microsecond

// A Blocked is how the measured tasks stood before the strategy: from due until it took them, less
// what the generator was late by itself. A generator that waits in Submit brings the tasks behind
// late, so that these are blocked as well.
type Blocked struct {
	Share float64 // of the tasks
	Mean  float64 // of all, in nanoseconds
	Ever  bool    // any task of the run, warm-up included
}

// Blocked sums up the tasks from first on.
func (o *Run) Blocked(first int) Blocked {
	n := float64(o.Trace.Len() - first)
	sum := BlockedSum{Per: n}
	for i, lag := range o.Trace.Lags() {
		sum.Add(o, o.Trace.At(i), lag, i >= first)
	}
	return Blocked{Share: sum.Count / n, Mean: sum.Total, Ever: sum.Ever}
}

// A BlockedSum sums up how tasks stood, each divided by per.
type BlockedSum struct {
	Per, Total, Count float64
	Ever              bool
}

// Add takes note of the next task.
func (h *BlockedSum) Add(o *Run, r *record.Record, lag int64, counts bool) {
	least := int64(0)
	if !o.Plan.Virtual {
		least = int64(blockedFrom)
	}
	stood := cmp.Or(r.Left, r.Issue) - r.Due - lag // where nobody has said, nothing blocked it
	h.Ever = h.Ever || stood > least
	if counts {
		h.Total += float64(stood) / h.Per
		if stood > least {
			h.Count++
		}
	}
}

// blockedSuspect is the share of the tasks from which a full queue is a reason: a p99 is made by no
// more of them.
const blockedSuspect = 0.01

// CheckBlocked looks for tasks that stood before a full queue, where the strategy says that it
// keeps classes of tasks apart, puts them in order or lets them take turns: what it has not got it
// cannot sort, and the tasks were served in the order in which they came.
func (o *Run) CheckBlocked(r *result.Result, h Blocked) {
	spec := o.Plan.Strategy
	promise := ""
	switch {
	case spec.ClassPools != nil && !o.Plan.Arrival.IsClosed():
		// of clients, each class has a door of its own
		promise = "keep classes of tasks apart"
	case spec.Chooses() != "":
		promise = "choose tasks by their " + spec.Chooses()
	case spec.UsesSize:
		promise = "order tasks by their size"
	case spec.Quantum != nil && !spec.Splits:
		promise = "let tasks take turns"
	}
	if promise == "" || !spec.UsesQueue || h.Share < blockedSuspect {
		return
	}
	r.Doubt(result.Suspect, rundir.CheckHeldUp,
		"%s of the tasks stood before a full queue of %d slots, %s on "+
			"average, where the strategy could not %s: without a queue given it is never full",
		text.WholeShare(h.Share), o.Plan.Params.Queue, text.Seconds(h.Mean/1e9), promise)
}
