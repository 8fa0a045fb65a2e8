package peers

import (
	"context"
	"sync/atomic"

	"github.com/gammazero/workerpool"

	"github.com/poolbench/poolbench/strategies"
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
	UseIf:   "a submitter must never wait, whatever is queued",
	Source:  "github.com/gammazero/workerpool",
	OnPanic: "contained by the adapter; workerpool itself lets it crash the process",

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
