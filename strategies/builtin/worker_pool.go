package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy worker_pool has Limit long-lived goroutines that receive from one channel with room
// for Queue tasks. A busy worker takes its next task without a goroutine switch.
var workerPoolSpec = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "worker_pool",
	Summary: "long-lived workers that take tasks from a channel",
	UseIf:   "there are many short tasks, or a worker keeps state between tasks",
	Source:  "limited concurrency in Go: workers on a channel",
	OnPanic: "contained; the worker is replaced",
	Bare: strategies.Bare{
		Panic:  "ends the process",
		Error:  "yours to collect",
		Cancel: "a select with ctx.Done()",
		Full:   "the send blocks once the channel's buffer is full",
		Drain:  "close the channel and wait for the workers",
		Resize: "your own code: start or stop workers",
	},

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return new(engine.Workers).Start(ctx, sink, p.Limit, p.Queue)
	},
}))

// WorkerPool is the name of the worker pool, the twin of most library pools.
var WorkerPool = workerPoolSpec.Name
