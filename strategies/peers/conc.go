package peers

import (
	"context"

	"github.com/sourcegraph/conc/pool"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// conc starts up to Limit goroutines that receive from one unbuffered channel. A task costs a
// goroutine switch. Go cannot be cancelled, so the adapter waits for a slot before it calls Go.
// Wait ends the pool, so the adapter calls it once, when the instance is idle.
var _ = register(strategies.Spec{
	Name:    "conc",
	Summary: "conc: goroutines that share one unbuffered channel",
	UseIf:   "you run a batch and want its panics raised at the end",
	Source:  "github.com/sourcegraph/conc/pool",
	Twin:    strategies.Twin{Of: builtin.WorkerPool},
	OnPanic: "contained by the adapter; conc keeps the first and raises it again in Wait",
	Bare: strategies.Bare{
		Panic:  "Wait raises the first again",
		Error:  "WithErrors: Wait joins all; WithContext may cancel the others",
		Cancel: "none: Go waits without a context",
		Full:   "Go blocks",
		Drain:  "Wait waits for all and ends the pool",
		Resize: "none: WithMaxGoroutines panics once it runs",
	},
	Adds: []strategies.Addition{
		{What: "catches a panic, which becomes the task's result and does not reach conc",
			Bare: "keeps the first panic and raises it again in Wait"},
		{What: "Submit first waits for a free slot, and returns if its context ends",
			Bare: "Go waits for a goroutine, and cannot be cancelled"},
		{What: "after Drain has begun, Submit returns an error",
			Bare: "Go after Wait panics"},
	},

	Capacity:       limitOf,
	WorkConserving: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		batch := pool.New().WithMaxGoroutines(p.Limit)
		return engine.Executor{
			Go:    func(run func()) error { batch.Go(run); return nil },
			Slots: p.Limit,
			Close: batch.Wait,
		}.Start(ctx, sink)
	},
})
