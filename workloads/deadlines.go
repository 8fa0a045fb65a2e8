package workloads

import (
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// The deadline is the due time plus the task's own time plus its slack, so a task without a wait
// always meets it.
var _ = register(Spec{
	Name:    "deadlines",
	Summary: "waits; each task has a deadline: its own time plus a slack",
	Kind:    Wait,
	Keys: []param.Key{timeKey,
		{Name: "slack", Kind: param.Distribution, Default: "exp(50ms)",
			Doc: "slack of a task: the time from its due time to its deadline, minus its own time"},
	},
	New: func(seed uint64, v param.Values) (Workload, error) {
		return &deadlines{newWaits(seed, v.Dist("time")),
			newWaits(seed+labelStream, v.Dist("slack"))}, nil
	},
})

type deadlines struct {
	*waits
	slack *waits
}

func (w *deadlines) Allowance(seq uint64) time.Duration {
	took := w.Time(seq)
	return took + min(w.slack.Time(seq), math.MaxInt64-took)
}
