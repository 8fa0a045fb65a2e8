package peers

import (
	"context"

	"github.com/panjf2000/ants/v2"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// ants keeps idle workers on a stack and hands each task to the one that was used last, over a
// channel of its own; a worker that was idle for a second goes. Use it where goroutines are to be
// reused and nothing is to queue. It costs a switch of goroutines per task, and two more goroutines
// per pool that tick.
//
// Its Submit blocks without a way to call it off, so the slots before it are the adapter's: its
// own wait, behind a spin lock, is never seen. Its panic handler, which runs outside the limit, has
// nothing to do, because no panic reaches it.
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
		{What: "a panic is the task's result and does not reach ants",
			Bare: "recovers, logs and replaces the worker"},
		{What: "Submit waits for a slot before the pool, until its context ends",
			Bare: "Submit waits for a worker without a context"},
		{What: "Drain waits for all tasks, then closes the pool; Submit returns an error from " +
			"then on",
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
			// fails only on a closed pool
			Close: func() { _ = pool.ReleaseContext(context.Background()) },
		}.Start(ctx, sink)
	},
})
