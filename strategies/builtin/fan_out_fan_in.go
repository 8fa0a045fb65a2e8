package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// fanOutFanIn has Limit workers, and merges their results on one channel with a single collector.
// Only the collector calls Done, so its state needs no lock. The results channel has room for one
// result per worker, so that a collector slower than all workers together becomes the limit.
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
		// all results have been sent
		s.AtEnd = func() { close(s.Results) }
		s.Start(ctx, sink, p.Limit, p.Queue)
		s.Alive.Go(func() { s.Collect(s.Results) })
		return s
	},
}))
