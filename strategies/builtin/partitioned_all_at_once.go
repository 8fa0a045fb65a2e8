package builtin

import (
	"context"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy partitioned_all_at_once is partitioned with the one mistake that undoes it: all
// sub-tasks of a task are queued at once (Result.Split), and run side by side on Limit workers as
// slots become free.
//
// It is here to be measured. Cut up or not, a long task's work is still all ahead of the short task
// behind it; only its own end comes sooner, because several workers share it. Use it for that: fork
// and join, where the pool is mostly idle and the one task is what matters.
//
// The sub-tasks go to the front of the queue, because the task that splits has come to the front:
// so everything waits in the order of its task's acceptance, as if the sub-tasks had been queued
// when their task was. The parent holds no slot meanwhile. It is done when the last sub-task is;
// after the first error those that are still queued are not run. A Split costs one allocation. The
// queue holds more than the accepted tasks: the sub-tasks of the few that have been started.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name: "partitioned_all_at_once",
	Summary: "workers on one queue; all sub-tasks of a task are queued at once, which does not " +
		"help the short",
	UseIf:   "one task at a time should end sooner; to see why cutting tasks up is not enough",
	Source:  "do not block the event loop (Node.js): partitioning, misread; fork and join",
	OnPanic: "contained; the task's queued sub-tasks are not run, the worker goes on",
	Keys:    []param.Key{quantumKey},

	Splits:  true,
	Quantum: quantum,
	Check:   checkQuantum,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Pools{Turns: true, Front: true}).Start(ctx, sink, p.Queue, p.Limit)
	},
}))
