package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy event_loop runs every callback on one goroutine, one after another in the order of
// acceptance, whatever the limit. Queue tasks may wait; then Submit blocks. A task is also done
// there, so nothing that its tasks and the sink share needs a lock; only what is abandoned is
// reported from elsewhere, because the loop may then be in a task that does not return.
//
// Use it where all tasks are short and work on the same state. It costs the other cores, and one
// long task holds up everybody: do not block the event loop. A task that cannot be short may come
// in steps: after each, Result.More sends it to the tail of the queue, as setImmediate does, and so
// do its sub-tasks, one by one. Loops that are offered more than they can do usually queue without
// bound and run out of memory late; here the producer feels it at once. To refuse instead is
// bounded_queue_shed's business.
//
// A panic ends the callback and not the goroutine. Goexit ends it, and another takes over after the
// task is done.
var _ = strategies.RegisterBuiltin(strategies.Spec{
	Name: "event_loop",
	Summary: "every task on one goroutine, in order, whatever the limit; its next step waits at " +
		"the tail",
	UseIf:   "all tasks are short and share state that should need no lock",
	Source:  "do not block the event loop (Node.js): the event loop",
	OnPanic: "contained; the loop goes on",

	Bound:          func(strategies.Params) int { return 1 },
	Capacity:       func(p strategies.Params) int { return 1 + p.Queue },
	FIFO:           true,
	WorkConserving: true,
	UsesQueue:      true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Pools{Turns: true}).Start(ctx, sink, p.Queue, 1)
	},
})
