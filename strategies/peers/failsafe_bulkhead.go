package peers

import (
	"context"

	"github.com/failsafe-go/failsafe-go/bulkhead"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The peer failsafe_bulkhead is a permit of failsafe-go's Bulkhead for each task: a buffered
// channel behind an interface. The adapter does not use the library's executor, which costs 13
// allocations and loses a permit with each panic and Goexit, because its release is not deferred.
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
