package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy event_loop runs all tasks on one goroutine, whatever the limit. Done runs on the
// same goroutine, so state shared by tasks and sink needs no lock. Only abandoned tasks are
// reported elsewhere, because the loop may hang in a task. Result.More sends a task to the tail of
// the queue, like setImmediate in Node.js.
var _ = strategies.RegisterBuiltin(strategies.Spec{
	Name: "event_loop",
	Summary: "all tasks run on one goroutine, in order, whatever the limit; the next step of a " +
		"task waits at the end of the queue",
	UseIf:   "all tasks are short and share state that should need no lock",
	Source:  "do not block the event loop (Node.js): the event loop",
	Twin:    strategies.Twin{Of: serialSpec.Name},
	OnPanic: "contained; the loop continues",

	Bound:          func(strategies.Params) int { return 1 },
	Capacity:       func(p strategies.Params) int { return 1 + p.Queue },
	FIFO:           true,
	WorkConserving: true,
	UsesQueue:      true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Pools{Turns: true}).Start(ctx, sink, p.Queue, 1)
	},
})
