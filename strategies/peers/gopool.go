package peers

import (
	"context"
	"sync"

	"github.com/bytedance/gopkg/util/gopool"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// gopool has one list of tasks behind a mutex, starts a worker for a task as long as it counts
// fewer than Limit, and lets workers go when the list is empty. Use it in place of the go statement
// where tasks are short and many. It is the cheapest of the peers; it costs memory for whatever is
// submitted, because the list has no bound.
//
// The limit is checked and taken in two steps, so that submitters who come at the same time may get
// a worker too many (see the table of known faults). With one submitter it is exact. There is no
// end and no wait: an idle pool has no goroutine.
//
// A task that calls Goexit ends its worker, which gopool goes on to count. The adapter raises the
// limit by that one, and submits a task that does nothing, because otherwise what is queued would
// wait for the next Submit.
var _ = register(strategies.Spec{
	Name:    "gopool",
	Summary: "gopool: workers that start with the tasks and end when its list is empty",
	UseIf: "there are many short tasks, the queue may be unbounded, and the limit may be " +
		"exceeded a little",
	Source:  "github.com/bytedance/gopkg/util/gopool",
	Twin:    strategies.Twin{Of: builtin.WorkerPool},
	OnPanic: "contained by the adapter; gopool itself recovers and logs",
	Adds: []strategies.Addition{
		{What: "a panic is the task's result and does not reach gopool",
			Bare: "recovers and logs"},
		{What: "when the context ends, queued tasks are given up, and gopool runs empty funcs " +
			"in their place",
			Bare: "runs all that is queued"},
		{What: "raises the limit by one for a worker whose task has called Goexit",
			Bare: "loses the worker, and queued tasks wait for the next Go"},
		{What: "Drain counts tasks by itself",
			Bare: "has neither a wait nor an end"},
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
