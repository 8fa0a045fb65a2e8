package bench

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
)

// toReturn is the time in which a cancelled attempt must return under the real clock before it
// counts as an overrun. A timer alone is often that late on a busy machine.
const toReturn = int64(time.Millisecond)

// overruns counts attempts that continued after their timeout, with excess times in ns.
type overruns struct{ n, total, longest atomic.Int64 }

// An attempt of busy ns that took longer than its timeout has failed even if it succeeded, because
// the caller no longer waits.
func (d *driver) checkTimeout(r strategies.Result, busy int64) strategies.Result {
	late := busy - int64(d.scenario.Timeout)
	if d.scenario.Timeout == 0 || late <= 0 {
		return r
	}
	if d.scenario.Clock == Virtual || late > toReturn {
		d.overran.n.Add(1)
		d.overran.total.Add(late)
		raise(&d.overran.longest, late)
	}
	if r.Err == nil || r.Retry {
		return strategies.Result{Err: context.DeadlineExceeded}
	}
	return r
}

func (d *driver) overrunsSeen() *observe.Overruns {
	if d.scenario.Timeout == 0 {
		return nil
	}
	return &observe.Overruns{N: d.overran.n.Load(), Total: d.overran.total.Load(),
		Longest: d.overran.longest.Load()}
}
