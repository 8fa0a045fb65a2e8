package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy serial runs one task at a time in order of acceptance on one goroutine. Running
// tasks in the caller's goroutine would save a switch of about 100 ns, but then a blocked Submit
// could not return when its context ends, and Goexit would end the caller.
var serialSpec = strategies.RegisterBuiltin(strategies.Spec{
	Name:    "serial",
	Summary: "one task at a time, whatever the limit",
	UseIf:   "tasks must not overlap; or as a baseline for other strategies",
	Source:  "a goroutine that owns the work: an actor, an event loop",
	OnPanic: "contained; the goroutine is replaced",

	Bound:          func(strategies.Params) int { return 1 },
	Capacity:       func(strategies.Params) int { return 1 },
	FIFO:           true,
	WorkConserving: true,

	New: func(ctx context.Context, _ strategies.Params, sink strategies.Sink) strategies.Strategy {
		return new(engine.Workers).Start(ctx, sink, 1, 0)
	},
})
