package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy dispatcher starts at most Limit workers on demand, with one FIFO queue and three
// atomic operations per task.
//
// Three faster prototypes assigned tasks to workers in batches, and a task of 1 s at the head of a
// batch delayed the 1 ms tasks behind it by 1.06 s instead of 73 ms.
//
// Nanoseconds per empty task with one producer, a queue that is never full, limits 1 and 64, and
// GOMAXPROCS 1 | 2 (the calls of task and sink alone need 7):
//
//	dispatcher                                  35  36 |  38  46
//	the same, each task taken under the mutex   41  42 |  44  57
//	a ring of tickets without a mutex           53  53 |  47  50, but twice that on a busy machine
//	workers that yield before they park              |  34  64
//	worker_pool                                 76  77 |  85  82
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "dispatcher",
	Summary: "workers started on demand that claim tasks from one queue by an atomic counter",
	UseIf:   "tasks are so short that the pool itself shows in the profile",
	Source:  "this project",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the worker is replaced",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return new(engine.Dispatch).Start(ctx, p, sink)
	},
}))
