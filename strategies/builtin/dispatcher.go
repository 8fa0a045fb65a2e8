package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy dispatcher is this project's own: at most Limit workers started on demand, one FIFO
// queue, and the cost of three atomic operations per task. Submit blocks while Limit + Queue tasks
// are inside.
//
// Use it where tasks are so short that the pool shows in the profile. It keeps a parked goroutine
// for each slot ever needed. For tasks of 10 µs or more its only advantage over worker_pool is
// starting workers on demand.
//
// Tasks are never assigned to a worker in advance. Three faster prototypes did so in batches, and a
// 1 s task at the head of a batch delayed the 1 ms tasks behind it by 1.06 s instead of 73 ms. Here
// tasks start in order of acceptance at the exact theoretical instant.
//
// Nanoseconds per empty task, one producer, queue never full, limits 1 and 64, GOMAXPROCS 1 | 2
// (calling task and sink alone costs 7):
//
//	dispatcher                                  35  36 |  38  46
//	the same, each task taken under the mutex   41  42 |  44  57
//	a ring of tickets without a mutex           53  53 |  47  50, but twice that on a busy machine
//	worker_pool                                 76  77 |  85  82
//	gopool, behind this interface              103 101 | 114 169
//	pond, likewise                             117 117 | 133 215
//
// A limit of 1024 with eight producers changes little for the dispatcher: 35 to 37 | 42 to 45.
//
// Also rejected: workers that yield before they park (on two cores 34 instead of 38 at limit 1, but
// 64 instead of 46 at 64), and at most GOMAXPROCS workers, which idles slots when tasks block
// unless a monitor with a timer checks for it.
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
