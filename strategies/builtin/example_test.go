package builtin_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

type pool struct {
	jobs    chan func()
	workers sync.WaitGroup
}

func newPool(n int) *pool {
	p := &pool{jobs: make(chan func())}
	for range n {
		p.workers.Go(func() {
			for job := range p.jobs {
				job()
			}
		})
	}
	return p
}

func (p *pool) Go(job func()) error { p.jobs <- job; return nil }
func (p *pool) Close()              { close(p.jobs); p.workers.Wait() }

// A Spec turns a pool into a strategy. In this package, a file mine.go with
//
//	var _ = register(Spec{Name: "mine", …})
//
// would add it to All, and so to tests, benchmarks and charts. Other packages need not register it.
func ExampleSpec() {
	mine := strategies.Spec{
		Name:     "mine",
		Summary:  "workers that share one unbuffered channel",
		UseIf:    "you have it already",
		Source:   "my library",
		OnPanic:  "contained by the adapter",
		Bound:    func(p strategies.Params) int { return p.Limit },
		Capacity: func(p strategies.Params) int { return p.Limit },
		FIFO:     true, WorkConserving: true,
		New: func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) strategies.Strategy {
			pool := newPool(p.Limit)
			return engine.Executor{Go: pool.Go, Slots: p.Limit,
				Close: pool.Close}.Start(ctx, sink)
		},
	}

	var done, failed atomic.Int64
	ctx := context.Background()
	s := mine.New(ctx, strategies.Params{Limit: 4},
		strategies.SinkFunc(func(_ *strategies.Task, r strategies.Result) {
			done.Add(1)
			if r.Err != nil {
				failed.Add(1)
			}
		}))
	for i := range 100 {
		err := s.Submit(ctx,
			&strategies.Task{Arg: i,
				Run: func(_ context.Context, t *strategies.Task) strategies.Result {
					if t.Arg.(int) == 13 {
						panic("contained")
					}
					return strategies.Result{}
				}})
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(s.Drain(ctx), done.Load(), "done,", failed.Load(), "failed;",
		s.Submit(ctx, &strategies.Task{}))
	// Output: <nil> 100 done, 1 failed; closed: the strategy accepts no more tasks
}
