package peers

import (
	"context"
	"sync/atomic"

	"github.com/gammazero/workerpool"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// workerpool sends each task to a goroutine that dispatches, which sends it to a worker or queues
// it. Use it where a submitter must never wait. It costs two switches of goroutines per task, a
// dispatcher that has to win a processor from the workers it feeds (at 10 µs per task it keeps half
// of two cores busy), and memory for whatever is submitted.
//
// A task that calls Goexit ends its worker, and the pool never learns of it: the slot is lost, and
// its Stop waits for ever. So after a Goexit the adapter leaves the pool's goroutines behind, for
// Drain to return.
var _ = register(strategies.Spec{
	Name:    "workerpool",
	Summary: "workerpool: a dispatcher with an unbounded queue, and workers that come and go",
	UseIf:   "a caller must never wait, however long the queue is",
	Source:  "github.com/gammazero/workerpool",
	Twin:    strategies.Twin{Of: builtin.WorkerPool},
	OnPanic: "contained by the adapter; workerpool itself lets it crash the process",
	Adds: []strategies.Addition{
		{What: "a panic is the task's result and does not reach workerpool",
			Bare: "lets a panic end the process"},
		{What: "when the context ends, queued tasks are given up, and workerpool runs empty " +
			"funcs in their place",
			Bare: "Stop drops queued tasks without a trace, and StopWait runs them all"},
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
