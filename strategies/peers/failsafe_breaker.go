package peers

import (
	"context"
	"slices"
	"time"

	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The peer failsafe_breaker is a permit of failsafe-go's CircuitBreaker for each task, after one of
// its Bulkhead, which is the limit. It has the defaults of circuit_breaker: it opens when half of
// the last 100 calls have failed, and five seconds later ten trial calls close or open it. A task
// that panicked counts as a failure.
var _ = register(strategies.Spec{
	Name: "failsafe_breaker",
	Summary: "failsafe-go's CircuitBreaker behind its Bulkhead: two permits and a goroutine per " +
		"task",
	UseIf:   "you want a breaker together with failsafe-go's other policies",
	Source:  "github.com/failsafe-go/failsafe-go/circuitbreaker",
	Twin:    strategies.Twin{Of: builtin.WorkerPool, Unless: strategies.Calls},
	OnPanic: "contained by the adapter, and recorded as a failure",
	Adds: slices.Concat(failsafeAdds, []strategies.Addition{
		{What: "a Bulkhead limits running tasks to Limit",
			Bare: "has no limit on tasks"},
		{What: "opens for 5s if half of the last 100 tasks failed, and closes after 10 trials",
			Bare: "opens for 1m at the first failure, and closes at the first success"},
		{What: "a panic is recorded as a failure",
			Bare: "the executor records nothing for a panic, so a half-open breaker loses a " +
				"trial"},
	}),
	Keys: []param.Key{
		{Name: "open", Kind: param.Duration, Default: "5s",
			Doc: "time from opening to the trial calls"},
	},

	Capacity: limitOf,
	Trips:    true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		const window, failures, trials = 100, 50, 10
		limit := bulkhead.New[any](uint(p.Limit))
		breaker := circuitbreaker.NewBuilder[any]().
			WithFailureThresholdRatio(failures, window).
			WithSuccessThresholdRatio(trials/2+1, trials).
			WithDelay(max(p.Values.Duration("open"), time.Nanosecond)).
			Build()
		asked := func() bool {
			if breaker.TryAcquirePermit() {
				return true
			}
			limit.ReleasePermit()
			return false
		}
		return engine.Gate[struct{}]{
			Try: func() (struct{}, bool) {
				return struct{}{}, limit.TryAcquirePermit() && asked()
			},
			Wait: func(ctx context.Context) (struct{}, error) {
				if err := limit.AcquirePermit(ctx); err != nil {
					return struct{}{}, err
				}
				if !asked() {
					return struct{}{}, strategies.ErrShed
				}
				return struct{}{}, nil
			},
			Release: func(_ struct{}, r strategies.Result) {
				if r.Err == nil {
					breaker.RecordSuccess()
				} else {
					breaker.RecordFailure()
				}
				limit.ReleasePermit()
			},
		}.Start(ctx, sink)
	},
})
