package peers

import (
	"context"

	"github.com/failsafe-go/failsafe-go/bulkhead"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The peer failsafe_bulkhead is a permit of failsafe-go's Bulkhead for each task: a buffered
// channel behind an interface. Use it together with the library's other policies, retries, timeouts
// and breakers. It costs what semaphore costs.
//
// The permit is taken and given back directly. The library's executor, which does that around a
// func, gives it back after the func and not deferred, so that each panic and Goexit that gets
// through it costs a permit; it also costs 13 allocations.
var failsafeBulkhead = register(strategies.Spec{
	Name:    "failsafe_bulkhead",
	Summary: "failsafe-go's Bulkhead: a permit and a goroutine per task",
	UseIf:   "you compose it with failsafe-go's other policies",
	Source:  "github.com/failsafe-go/failsafe-go/bulkhead",
	Twin:    strategies.Twin{Of: builtin.WorkerPool},
	OnPanic: "contained by the adapter; through failsafe-go's executor it costs a permit for good",
	Adds:    failsafeAdds,

	Capacity:       limitOf,
	WorkConserving: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		gate := bulkhead.New[any](uint(p.Limit))
		return engine.Gate[struct{}]{
			Try: func() (struct{}, bool) { return struct{}{}, gate.TryAcquirePermit() },
			Wait: func(ctx context.Context) (struct{}, error) {
				return struct{}{}, gate.AcquirePermit(ctx)
			},
			Release: func(struct{}, strategies.Result) { gate.ReleasePermit() },
		}.Start(ctx, sink)
	},
})
