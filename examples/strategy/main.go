// Command strategy is poolbench with a custom strategy: a semaphore that keeps some slots of the
// limit free, for example for health checks that share a pool of connections.
package main

import (
	"context"

	"github.com/poolbench/poolbench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

func main() {
	strategies.Register(reserve)
	poolbench.Main()
}

var reserve = strategies.Spec{
	Name:    "reserve",
	Summary: "a semaphore that keeps slots of the limit free for others",
	UseIf:   "others share the limited resource, and must always find some of it free",
	OnPanic: "contained: the task's goroutine ends and its slot is given back",
	Keys: []param.Key{
		{Name: "keep", Kind: param.Int, Default: "1", Doc: "slots that stay free"},
	},
	Bound:          slots,
	Capacity:       slots,
	FIFO:           true,
	WorkConserving: true,
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return newSemaphore(slots(p)).Start(ctx, sink)
	},
}

func slots(p strategies.Params) int { return max(1, p.Limit-p.Values.Int("keep")) }

// newSemaphore describes a buffered channel as a Gate.
func newSemaphore(n int) engine.Gate[struct{}] {
	free := make(chan struct{}, n)
	return engine.Gate[struct{}]{
		Try: func() (struct{}, bool) {
			select {
			case free <- struct{}{}:
				return struct{}{}, true
			default:
				return struct{}{}, false
			}
		},
		Wait: func(ctx context.Context) (struct{}, error) {
			select {
			case free <- struct{}{}:
				return struct{}{}, nil
			case <-ctx.Done():
				return struct{}{}, ctx.Err()
			}
		},
		Release: func(struct{}, strategies.Result) { <-free },
	}
}
