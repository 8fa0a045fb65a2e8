package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy draining_pool is a pool whose workers are stopped over a separate channel. At
// Drain's deadline a task that ignores its context keeps only its own worker, while worker_pool
// keeps all workers until the last task returns. The select over two channels costs about 60 ns per
// task.
//
// It repairs faults of the usual pattern: closing the jobs channel while others send panics, and a
// worker told to quit runs all remaining jobs after the deadline.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name: "draining_pool",
	Summary: "long-lived workers that finish all accepted tasks, and abandon the rest at Drain's " +
		"deadline",
	UseIf:   "the process lives on after the pool has shut down",
	Source:  "limited concurrency in Go: graceful shutdown, repaired",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the worker is replaced",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Workers{Quits: true}).Start(ctx, sink, p.Limit, p.Queue)
	},
}))
