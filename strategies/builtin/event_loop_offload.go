package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy event_loop_offload runs tasks on Limit workers and calls each one's completion,
// Sink.Done, back on one loop, as libuv does for Node.js. Queue tasks may wait for a worker; then
// Submit blocks.
//
// Use it where the work can go elsewhere but what becomes of it is for one owner: the sink's state
// needs no lock, whatever the limit, because abandoned tasks are reported on the loop too. It costs
// a second switch of goroutines for a task that finds the loop asleep; under load the loop takes
// many completions at once. A worker goes on without waiting for the loop, so a slow Done costs no
// slot but holds its tasks' room, and with that bounds what can pile up.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "event_loop_offload",
	Summary: "workers run the tasks, one loop hears of every completion",
	UseIf:   "tasks are long and their results belong to one owner without locks",
	Source:  "do not block the event loop (Node.js): offloading; libuv's thread pool",
	OnPanic: "contained; the worker goes on",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Pools{Home: new(engine.Loop)}).Start(ctx, sink, p.Queue, p.Limit)
	},
}))
