// Command service is poolbench with the limiter of a client: a fixed rate of requests.
package main

import (
	"context"
	"sync"

	"golang.org/x/time/rate"

	"github.com/poolbench/poolbench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

func main() {
	strategies.Register(polite)
	poolbench.Main()
}

var polite = strategies.Spec{
	Name:    "polite",
	Summary: "a goroutine per task, which waits for its turn at a rate",
	UseIf:   "the service that the tasks call limits the requests per second",
	OnPanic: "contained, and the task's goroutine ends",
	Keys: []param.Key{
		{Name: "rate", Kind: param.Float, Default: "90", Doc: "starts in a second, above 0"},
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		limiter := rate.NewLimiter(rate.Limit(p.Values.Float("rate")), 1)
		var running sync.WaitGroup
		return engine.Executor{
			Go: func(run func()) error {
				running.Go(func() {
					_ = limiter.Wait(ctx) // when ctx has ended, run finds that itself
					run()
				})
				return nil
			},
			Close: running.Wait,
		}.Start(ctx, sink)
	},
}
