package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy draining_pool is a pool of workers that are told to stop over a channel of their
// own, as a service is when it has to shut down: Drain finishes accepted tasks, and at the deadline
// the workers end and the remaining tasks are settled as abandoned.
//
// Use it where the process lives on after the pool. worker_pool keeps its idle workers until the
// last task has returned; here one that ignores its context keeps its own worker and no other. It
// costs a select over two channels per task (some 60 ns) where worker_pool has a bare receive.
//
// The usual version of the pattern has four faults, which are repaired here:
//
//   - It closes the channel of jobs while others may be sending to it, and a send on a closed
//     channel panics. Here the intake is closed first, which also wakes the senders that are
//     blocked, and the channel when nobody is inside any more.
//   - A worker that is told to quit ranges over the jobs, which ends only when that channel is
//     closed, and runs them all: after the deadline the shutdown does just what it did before, only
//     unobserved. Here what has not started by then is settled as abandoned by Drain at once, and
//     what runs is cancelled; the error says how many never ran and how many still do.
//   - Workers send to a bounded channel of results that nobody may be reading, and block for ever,
//     and with them the shutdown. Here the sink is called, which must not block.
//   - That channel is never closed, and what is in it, or in the jobs of a worker that went first,
//     is lost without a word. Here every accepted task is done once.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name: "draining_pool",
	Summary: "long-lived workers that finish what was accepted, and at Drain's deadline abandon " +
		"the rest and go",
	UseIf:   "the process lives on after the pool has shut down",
	Source:  "limited concurrency in Go: graceful shutdown, repaired",
	OnPanic: "contained; the worker is replaced",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Workers{Quits: true}).Start(ctx, sink, p.Limit, p.Queue)
	},
}))
