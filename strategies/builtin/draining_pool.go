package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy draining_pool is a pool whose workers are stopped over a separate channel, as in a
// service's shutdown: Drain finishes accepted tasks, and at the deadline the workers end and the
// remaining tasks are settled as abandoned.
//
// Use it where the process outlives the pool. worker_pool keeps idle workers until the last task
// returns. Here a task that ignores its context keeps only its own worker. The select over two
// channels costs about 60 ns per task.
//
// It repairs four faults of the usual pattern:
//
//   - Closing the jobs channel while others send panics. Here the intake is closed first, which
//     wakes blocked senders, and the channel when nobody is inside.
//   - A worker told to quit ranges over all remaining jobs after the deadline. Here Drain settles
//     tasks that have not started as abandoned and cancels the running ones. Its error counts both.
//   - Workers block forever on a bounded results channel without a reader, and so does the
//     shutdown. Here the sink is called, which must not block.
//   - The results channel is never closed, and its content and jobs of ended workers are lost. Here
//     every accepted task is done once.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name: "draining_pool",
	Summary: "long-lived workers that finish what was accepted, and at Drain's deadline abandon " +
		"the rest and go",
	UseIf:   "the process lives on after the pool has shut down",
	Source:  "limited concurrency in Go: graceful shutdown, repaired",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the worker is replaced",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Workers{Quits: true}).Start(ctx, sink, p.Limit, p.Queue)
	},
}))
