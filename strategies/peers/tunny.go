package peers

import (
	"context"
	"errors"
	"sync"

	"github.com/Jeffail/tunny"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// In tunny the caller waits: Process returns the result of the worker that took the payload. So
// each task has such a goroutine, and costs its start and three hand-overs. A task that calls
// Goexit ends its worker. tunny does not replace it, so the adapter grows the pool.
var _ = register(strategies.Spec{
	Name:    "tunny",
	Summary: "tunny: callers that each wait for a worker's answer",
	UseIf:   "callers wait for an answer anyway, or a worker keeps state between tasks",
	Source:  "github.com/Jeffail/tunny",
	Twin:    strategies.Twin{Of: builtin.WorkerPool},
	OnPanic: "contained by the adapter; tunny itself lets it crash the process",
	Adds: []strategies.Addition{
		{What: "catches a panic, which becomes the task's result and does not reach tunny",
			Bare: "lets a panic end the process"},
		{What: "calls ProcessCtx in a goroutine for each task, so Submit returns before the " +
			"task is done",
			Bare: "Process blocks its caller until the task is done"},
		{What: "Submit first waits for a free slot, and returns if its context ends",
			Bare: "Process waits for a worker, and cannot be cancelled"},
		{What: "replaces a worker whose task has called Goexit",
			Bare: "loses the worker, and Process panics"},
		{What: "after Drain has begun, Submit returns an error",
			Bare: "Process after Close panics"},
	},

	Capacity:       limitOf,
	WorkConserving: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		pool := tunny.NewCallback(p.Limit)
		var growing sync.Mutex
		return engine.Executor{
			Call: func(run func()) {
				// Process panics where ProcessCtx returns an error.
				if _, err := pool.ProcessCtx(context.Background(), run); err != nil &&
					!errors.Is(err, tunny.ErrWorkerClosed) {
					panic(err) // the pool is closed after its last task, and not before
				}
			},
			Slots: p.Limit,
			Lost: func() {
				growing.Lock()
				defer growing.Unlock()
				pool.SetSize(pool.GetSize() + 1) // the dead worker counts
			},
			Close: pool.Close,
		}.Start(ctx, sink)
	},
})
