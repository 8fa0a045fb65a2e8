package peers

import (
	"context"

	"github.com/panjf2000/ants/v2"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// ants keeps idle workers on a stack and hands each task to the one that was used last, over its
// own channel. A worker that was idle for a second ends. Each pool has two goroutines that tick.
//
// Its Submit waits behind a spin lock and cannot be cancelled, so the adapter waits for a slot
// before it calls Submit.
var _ = register(strategies.Spec{
	Name:    "ants",
	Summary: "ants: a stack of reused goroutines, one channel each",
	UseIf:   "you have ants already",
	Source:  "github.com/panjf2000/ants/v2",
	Twin:    strategies.Twin{Of: builtin.WorkerPool},
	OnPanic: "contained by the adapter; ants itself recovers, logs and replaces the worker",
	Bare: strategies.Bare{
		Panic:  "recovered and logged, or passed to WithPanicHandler",
		Error:  "none: a task is a func()",
		Cancel: "none: Submit waits without a context",
		Full:   "Submit blocks; WithNonblocking returns ErrPoolOverload",
		Drain:  "ReleaseContext or ReleaseTimeout waits; Release does not",
		Resize: "Tune",
	},
	Adds: []strategies.Addition{
		{What: "catches a panic, which becomes the task's result and does not reach ants",
			Bare: "recovers and logs the panic, and replaces the worker"},
		{What: "Submit first waits for a free slot, and returns if its context ends",
			Bare: "Submit waits for a worker, and cannot be cancelled"},
		{What: "Drain waits for all tasks, then closes the pool; from then on, Submit returns " +
			"an error",
			Bare: "Release does not wait for running tasks"},
	},

	Capacity:       limitOf,
	WorkConserving: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		pool, err := ants.NewPool(p.Limit)
		if err != nil {
			panic(err) // only options can be wrong
		}
		return engine.Executor{
			Go:    pool.Submit,
			Slots: p.Limit,
			Close: func() { _ = pool.ReleaseContext(context.Background()) },
		}.Start(ctx, sink)
	},
})
