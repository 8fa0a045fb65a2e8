package peers

import (
	"context"

	"github.com/alitto/pond/v2"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// pond has one unbounded queue behind a mutex. It starts a worker for a task while there are fewer
// than Limit, and workers end when the queue is empty.
//
// The adapter calls Go, because the future of Submit costs six allocations. It never stops the
// pool: an idle pool has no goroutine, and Stop uses a pool of the package, which testing/synctest
// does not allow twice.
var _ = register(strategies.Spec{
	Name:    "pond",
	Summary: "pond: workers that start with the tasks and end when its queue is empty",
	UseIf:   "tasks are short and arrive in bursts, and the queue may be unbounded",
	Source:  "github.com/alitto/pond/v2",
	Twin:    strategies.Twin{Of: builtin.WorkerPool},
	OnPanic: "contained by the adapter; pond's Go recovers, counts and is silent",
	Bare: strategies.Bare{
		Panic:  "recovered: an error of the future of Submit; Go counts it",
		Error:  "the future of SubmitErr returns it",
		Cancel: "a context for the whole pool",
		Full:   "queues without a bound; WithQueueSize blocks, WithNonBlocking returns ErrQueueFull",
		Drain:  "StopAndWait ends the pool and waits",
		Resize: "Resize",
	},
	Adds: []strategies.Addition{
		{What: "catches a panic, which becomes the task's result and does not reach pond",
			Bare: "Go recovers and counts the panic, and reports nothing"},
		{What: "when the context ends, queued tasks are abandoned, and pond runs empty funcs in " +
			"their place",
			Bare: "runs all queued tasks, unless the context of the whole pool ends"},
		{What: "Drain waits with a task counter of its own, and never stops the pool",
			Bare: "StopAndWait ends the pool"},
	},

	WorkConserving: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return engine.Executor{Go: pond.NewPool(p.Limit).Go}.Start(ctx, sink)
	},
})
