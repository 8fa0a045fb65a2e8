package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy dispatcher is this project's own: at most Limit workers that are started on demand,
// one FIFO queue, and a cost per task that is that of three atomic operations. Submit blocks while
// Limit + Queue tasks are inside.
//
// Use it where tasks are so short that the pool shows in the profile. It costs a goroutine for each
// slot of the limit that was ever needed, parked when it has nothing to do. As soon as tasks take
// some 10 µs all that it has over worker_pool is that workers are started on demand.
//
// What it does not do for speed is to set tasks aside for one worker. Three faster prototypes gave
// them out in batches, and a task of 1 s at the head of a batch made those of 1 ms behind it wait
// for 1.06 s instead of 73 ms. Here each is taken when a slot is free for it, in the order of
// acceptance, and starts at the nanosecond at which theory says that it does.
//
// Nanoseconds per empty task, from one producer, with a queue that is never full, at limits 1 and
// 64 and GOMAXPROCS 1 | 2, where a call of the task and its sink alone takes 7:
//
//	dispatcher                                  35  36 |  38  46
//	the same, each task taken under the mutex   41  42 |  44  57
//	a ring of tickets without a mutex           53  53 |  47  50, but twice that on a busy machine
//	worker_pool                                 76  77 |  85  82
//	gopool, behind this interface              103 101 | 114 169
//	pond, likewise                             117 117 | 133 215
//
// A limit of 1024 and eight producers change little for the dispatcher: 35 to 37 | 42 to 45.
//
// Rejected as well: workers that yield a few times before they park, which at two cores makes 34 of
// 38 at a limit of 1, but 64 of 46 at 64; and no more workers at a time than GOMAXPROCS, which
// idles slots as soon as tasks block, unless a monitor with a timer looks for that.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "dispatcher",
	Summary: "workers started on demand that claim tasks from one queue by an atomic counter",
	UseIf:   "tasks are so short that the pool itself shows in the profile",
	Source:  "this project",
	OnPanic: "contained; the worker is replaced",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return new(engine.Dispatch).Start(ctx, p, sink)
	},
}))
