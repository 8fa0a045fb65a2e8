package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy serial runs one task at a time, in the order of acceptance, whatever the limit: one
// goroutine in a loop, as an actor or an event loop. Submit hands the task to that goroutine and so
// blocks until the one before it is done.
//
// It is the yardstick that a limit is measured against, and the strategy for tasks that must not
// overlap. The tasks do not run in the goroutine of the caller, which would save the hand-over (a
// switch of goroutines, some 100 ns), because then neither could a blocked Submit return when its
// context ends nor a Goexit in a task be survived.
var _ = strategies.RegisterBuiltin(strategies.Spec{
	Name:    "serial",
	Summary: "one task at a time, whatever the limit",
	UseIf:   "tasks must not overlap, or as the yardstick for everything else",
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
