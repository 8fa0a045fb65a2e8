package builtin

import (
	"context"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy partitioned_all_at_once is like partitioned but queues all sub-tasks of a task at
// once, to run in parallel. It exists to measure this mistake: a short task still waits for all
// work of the long task before it. Sub-tasks go to the front of the queue and do not count against
// the capacity.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name: "partitioned_all_at_once",
	Summary: "workers on one queue; all sub-tasks of a task are queued at once, which does not " +
		"help short tasks",
	UseIf:   "a single task should end sooner; it shows why splitting tasks is not enough",
	Source:  "do not block the event loop (Node.js): partitioning, misread; fork and join",
	OnPanic: "contained; the queued sub-tasks of the task are not run, and the worker continues",
	Keys:    []param.Key{quantumKey},

	Splits:  true,
	Quantum: quantum,
	Check:   checkQuantum,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Pools{Turns: true, Front: true}).Start(ctx, sink, p.Queue, p.Limit)
	},
}))
