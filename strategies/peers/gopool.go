package peers

import (
	"context"
	"sync"

	"github.com/bytedance/gopkg/util/gopool"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// gopool has one unbounded list of tasks behind a mutex. It starts a worker for a task while it
// counts fewer than Limit, and workers end when the list is empty. It is the cheapest of the peers.
//
// It checks and takes the limit in two steps, so concurrent submitters may start too many workers
// (see the known faults). An idle pool has no goroutine, and there is no Close.
//
// A task that calls Goexit ends its worker, which gopool still counts. The adapter raises the limit
// by one and submits an empty task, because otherwise queued tasks would wait for the next Submit.
var _ = register(strategies.Spec{
	Name:    "gopool",
	Summary: "gopool: workers that start with the tasks and end when its list is empty",
	UseIf: "there are many short tasks, the queue may be unbounded, and the limit may be " +
		"exceeded a little",
	Source:  "github.com/bytedance/gopkg/util/gopool",
	Twin:    strategies.Twin{Of: builtin.WorkerPool},
	OnPanic: "contained by the adapter; gopool itself recovers and logs",
	Adds: []strategies.Addition{
		{What: "catches a panic, which becomes the task's result and does not reach gopool",
			Bare: "recovers and logs the panic"},
		{What: "when the context ends, queued tasks are abandoned, and gopool runs empty funcs " +
			"in their place",
			Bare: "runs all queued tasks"},
		{What: "raises the limit by one for a worker whose task has called Goexit",
			Bare: "loses the worker, and queued tasks wait for the next Go"},
		{What: "Drain waits with a task counter of its own",
			Bare: "can neither wait for tasks nor shut down"},
	},

	WorkConserving: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		limit := int32(p.Limit)
		pool := gopool.NewPool("", limit, gopool.NewConfig())
		var raising sync.Mutex
		return engine.Executor{
			Go: func(run func()) error { pool.Go(run); return nil },
			Lost: func() {
				raising.Lock()
				defer raising.Unlock()
				limit++
				pool.SetCap(limit)
				pool.Go(func() {})
			},
		}.Start(ctx, sink)
	},
})
