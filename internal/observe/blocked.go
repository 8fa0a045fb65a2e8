package observe

import (
	"cmp"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// A shorter time does not count as blocked under the real clock, where Submit takes about a
// microsecond and sometimes waits for a processor.
const blockedFrom = 100 * time.Microsecond

// Blocked is the time before the strategy accepts tasks, without the generator's own lag. A
// generator that waits in Submit also delays the following tasks, which count as blocked, too.
type Blocked struct {
	Share float64
	Mean  float64 // over all tasks, in ns
	Ever  bool    // any task of the run was blocked, including the warm-up
}

func (o *Run) Blocked(first int) Blocked {
	n := float64(o.Trace.Len() - first)
	sum := BlockedSum{Per: n}
	for i, lag := range o.Trace.Lags() {
		sum.Add(o, o.Trace.At(i), lag, i >= first)
	}
	return Blocked{Share: sum.Count / n, Mean: sum.Total, Ever: sum.Ever}
}

// Count is the number of blocked tasks and Total the sum of their times in ns, both divided by Per.
type BlockedSum struct {
	Per, Total, Count float64
	Ever              bool
}

func (h *BlockedSum) Add(o *Run, r *record.Record, lag int64, counts bool) {
	least := int64(0)
	if !o.Plan.Virtual {
		least = int64(blockedFrom)
	}
	stood := cmp.Or(r.Left, r.Issue) - r.Due - lag
	h.Ever = h.Ever || stood > least
	if counts {
		h.Total += float64(stood) / h.Per
		if stood > least {
			h.Count++
		}
	}
}

// blockedSuspect is the share of blocked tasks from which a full queue can determine a p99.
const blockedSuspect = 0.01

// CheckBlocked looks for tasks that waited in front of a full queue of a strategy that reorders
// tasks or separates classes, because they are served in the order of arrival.
func (o *Run) CheckBlocked(r *result.Result, h Blocked) {
	spec := o.Plan.Strategy
	promise := ""
	switch {
	case spec.ClassPools != nil && !o.Plan.Arrival.IsClosed():
		promise = "separate classes of tasks"
	case spec.Chooses() != "":
		promise = "choose tasks by their " + spec.Chooses()
	case spec.UsesSize:
		promise = "order tasks by their size"
	case spec.Quantum != nil && !spec.Splits:
		promise = "run tasks in steps"
	}
	if promise == "" || !spec.UsesQueue || h.Share < blockedSuspect {
		return
	}
	r.Doubt(result.Suspect, rundir.CheckHeldUp,
		"%s of the tasks waited before a full queue of %d slots, %s on average, where the "+
			"strategy could not %s; without --queue, the queue is never full",
		text.WholeShare(h.Share), o.Plan.Params.Queue, text.Seconds(h.Mean/1e9), promise)
}
