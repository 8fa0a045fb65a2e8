package peers

import (
	"context"
	"slices"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The peer failsafe_adaptive is a permit of failsafe-go's AdaptiveLimiter for each task. The limit
// begins at its maximum, Limit. It follows the trend of a window of recent durations, at least 1 s
// and 50 tasks long, against a moving average of such windows.
//
// The average follows the recent tasks within half a minute, so the limiter reacts to a lasting
// slowdown for some seconds only, and to the end of a slowdown as to trouble (see TestLearned).
var _ = register(strategies.Spec{
	Name:    "failsafe_adaptive",
	Summary: "failsafe-go's AdaptiveLimiter: a limit that follows the tasks' lengths, up to Limit",
	UseIf:   "the right limit is unknown or changes, and callers may wait",
	Source:  "github.com/failsafe-go/failsafe-go/adaptivelimiter",
	Twin:    strategies.Twin{Of: builtin.WorkerPool, Unless: strategies.Calls},
	OnPanic: "contained by the adapter; through failsafe-go's executor it costs a permit for good",
	Adds: slices.Concat(failsafeAdds, []strategies.Addition{
		{What: "a limit from 1 to Limit that starts at Limit",
			Bare: "a limit from 1 to 200 that starts at 20"},
		{What: "failed tasks do not affect the limit",
			Bare: "the executor records every task that was not cancelled"},
	}),

	Capacity: limitOf,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		most := uint(p.Limit)
		changed := func(int) {}
		limiter := adaptivelimiter.NewBuilder[any]().WithLimits(1, most, most).
			OnLimitChanged(func(e adaptivelimiter.LimitChangedEvent) {
				changed(int(e.NewLimit))
			}).Build()
		return engine.Gate[adaptivelimiter.Permit]{
			Try:     limiter.TryAcquirePermit,
			Wait:    limiter.AcquirePermit,
			Release: giveBack,
			Limit:   limiter.Limit,
			OnLimit: func(f func(limit int)) { changed = f },
		}.Start(ctx, sink)
	},
})

func giveBack(permit adaptivelimiter.Permit, r strategies.Result) {
	if outcomeOf(r) == succeeded {
		permit.Record()
	} else {
		permit.Drop()
	}
}
