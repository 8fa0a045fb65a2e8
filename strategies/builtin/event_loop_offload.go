package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy event_loop_offload runs tasks on Limit workers and calls Sink.Done on one loop, as
// libuv does for Node.js, so the sink's state needs no lock. Workers do not wait for the loop, so a
// slow Done blocks no slot. Its tasks still count as accepted, which bounds the backlog.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "event_loop_offload",
	Summary: "workers run the tasks, and one loop handles every completion",
	UseIf:   "tasks are long, and one goroutine owns their results without locks",
	Source:  "do not block the event loop (Node.js): offloading; libuv's thread pool",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the worker continues",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Pools{Home: new(engine.Loop)}).Start(ctx, sink, p.Queue, p.Limit)
	},
}))
