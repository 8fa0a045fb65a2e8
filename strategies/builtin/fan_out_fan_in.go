package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// fanOutFanIn is Limit workers on one channel of tasks, whose results are merged on one channel
// with a single collector.
//
// Use it when one goroutine must process the results: only the collector calls Done, so its state
// needs no lock. It costs a second channel and, when the collector is idle, a goroutine switch per
// task.
//
// The results channel has room for one per worker, so workers continue while the collector works. A
// collector slower than all workers together blocks them and becomes the limit. (Room for all
// results would hide this.)
//
// A task given up before it ran is settled by the goroutine that gave it up.
type fanOutFanIn struct{ engine.Workers }

var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "fan_out_fan_in",
	Summary: "workers on one channel, their results merged on another for one collector",
	UseIf:   "one goroutine has to see all results",
	Source:  "limited concurrency in Go: fan-out, fan-in",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the worker is replaced, and the collector gets the panic as a result",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := new(fanOutFanIn)
		s.Results = make(chan engine.Outcome, p.Limit)
		// all sent results have been received
		s.AtEnd = func() { close(s.Results) }
		s.Start(ctx, sink, p.Limit, p.Queue)
		s.Alive.Go(func() { s.Collect(s.Results) })
		return s
	},
}))
