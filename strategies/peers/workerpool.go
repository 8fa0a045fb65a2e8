package peers

import (
	"context"
	"sync/atomic"

	"github.com/gammazero/workerpool"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// workerpool sends each task to a dispatching goroutine, which sends it to a worker or an unbounded
// queue. At 10 µs per task the dispatcher keeps half of two cores busy.
//
// After a task has called Goexit, the pool has lost a slot and Stop waits forever. So the adapter
// then does not wait for the pool's goroutines.
var _ = register(strategies.Spec{
	Name:    "workerpool",
	Summary: "workerpool: a dispatcher with an unbounded queue, and workers that come and go",
	UseIf:   "a caller must never wait, however long the queue is",
	Source:  "github.com/gammazero/workerpool",
	Twin:    strategies.Twin{Of: builtin.WorkerPool},
	OnPanic: "contained by the adapter; workerpool itself lets it crash the process",
	Adds: []strategies.Addition{
		{What: "catches a panic, which becomes the task's result and does not reach workerpool",
			Bare: "lets a panic end the process"},
		{What: "when the context ends, queued tasks are abandoned, and workerpool runs empty " +
			"funcs in their place",
			Bare: "Stop silently drops queued tasks, and StopWait runs them all"},
		{What: "after a task has called Goexit, Drain leaves the pool's goroutines behind",
			Bare: "Stop never returns, and the worker is lost"},
	},

	WorkConserving: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		pool := workerpool.New(p.Limit)
		var crippled atomic.Bool
		return engine.Executor{
			Go:   pool.Do,
			Lost: func() { crippled.Store(true) },
			Close: func() {
				if crippled.Load() {
					go pool.Stop()
					return
				}
				pool.StopWait()
			},
		}.Start(ctx, sink)
	},
})
