package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// fanOutFanIn is Limit workers on one channel of tasks, whose results are merged on one channel
// that a single collector receives from.
//
// Use it when something must be done with the results by one goroutine: here the sink's Done is
// called by the collector alone, one result after another, so that a collector that owns a map or a
// file needs no lock. It costs a second channel and, when the collector has run dry, a switch of
// goroutines per task.
//
// The channel of results has room for one per worker, so that a worker goes on to its next task
// while the collector is at work. Only a collector that is slower than all workers together blocks
// them: then it is the limit, and not Limit. (A pattern with room for all results hides that, and
// keeps them all.)
//
// A task that is given up unrun has no worker: it is settled by whoever gave it up.
type fanOutFanIn struct{ engine.Workers }

var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "fan_out_fan_in",
	Summary: "workers on one channel, their results merged on another for one collector",
	UseIf:   "one goroutine has to see all results",
	Source:  "limited concurrency in Go: fan-out, fan-in",
	OnPanic: "contained; the worker is replaced, and the collector gets the panic as a result",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := new(fanOutFanIn)
		s.Results = make(chan engine.Outcome, p.Limit)
		// nothing is inside: all that were sent have been received
		s.AtEnd = func() { close(s.Results) }
		s.Start(ctx, sink, p.Limit, p.Queue)
		s.Alive.Go(func() { s.Collect(s.Results) })
		return s
	},
}))
