package peers

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The peer failsafe_hedge runs each task of failsafe_bulkhead through failsafe-go's HedgePolicy.
// The first attempt that succeeds counts.
//
// The library returns with the first result, but a done task belongs to the caller, so the adapter
// waits for both attempts. Each has another goroutine, because a panic would end the process, and
// after Goexit the library would wait forever. A task costs three goroutines.
type failsafeHedge struct {
	engine.Layer[struct{}]
	with failsafe.Executor[strategies.Result]
}

var _ = register(strategies.Spec{
	Name: "failsafe_hedge",
	Summary: "failsafe-go's HedgePolicy inside its Bulkhead: a second attempt after a quantile " +
		"of the recent ones",
	UseIf:   "you hedge together with failsafe-go's other policies",
	Source:  "github.com/failsafe-go/failsafe-go/hedgepolicy",
	Twin:    strategies.Twin{Of: builtin.WorkerPool, Unless: strategies.Calls},
	OnPanic: "contained by the adapter; failsafe-go lets it end the process",
	Adds: slices.Concat(failsafeAdds, []strategies.Addition{
		{What: "a Bulkhead limits running tasks to Limit",
			Bare: "has no limit on tasks"},
		{What: "the delay is the p95 of the last 200 attempts",
			Bare: "has no default delay"},
		{What: "waits until both attempts have ended",
			Bare: "returns with the first result and leaves the other attempt running"},
		{What: "a result that asks for another attempt does not end the hedge",
			Bare: "ends with the first result unless a condition is set"},
		{What: "runs each attempt in its own goroutine, which may end with a panic or Goexit",
			Bare: "a panic ends the process, and after Goexit the call never returns"},
	}),
	Keys: []param.Key{
		{Name: "after", Kind: param.Duration, Default: "0s",
			Doc: "the second attempt is due after this time; 0s: after the p95 of the last 200"},
	},

	Bound:    func(p strategies.Params) int { return 2 * p.Limit },
	Capacity: limitOf,
	Hedges:   true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		const quantile, recent = 0.95, 200
		policy := hedgepolicy.NewBuilderWithDelayQuantile[strategies.Result](quantile, recent,
			recent)
		if after := p.Values.Duration("after"); after > 0 {
			policy = hedgepolicy.NewBuilderWithDelay[strategies.Result](after)
		}
		policy.CancelIf(func(r strategies.Result, _ error) bool {
			_, panicked := errors.AsType[*strategies.PanicError](r.Err)
			return r.Err == nil && !r.Retry || panicked || r.Err == strategies.ErrGoexit
		})
		s := &failsafeHedge{with: failsafe.With(policy.Build())}
		s.Layer.Start(ctx, failsafeBulkhead, strategies.Params{Limit: p.Limit}, sink, s.run,
			func(_ *engine.Call[struct{}], r strategies.Result) strategies.Result { return r })
		return s
	},
})

func (s *failsafeHedge) run(
	ctx context.Context, c *engine.Call[struct{}],
) strategies.Result {
	a := attempts{task: c.For, begun: make(chan struct{})}
	r, err := s.with.WithContext(ctx).GetWithExecution(
		func(exec failsafe.Execution[strategies.Result]) (strategies.Result, error) {
			return a.attempt(exec.Context(), exec.IsHedge()), nil
		})
	if first := a.end(); err != nil {
		return first // the library says no more than that ctx has ended
	}
	return r
}

type attempts struct {
	task    *strategies.Task
	begun   chan struct{} // closed when the first has: the library's goroutines have no order
	mu      sync.Mutex
	over    bool
	running sync.WaitGroup
	first   strategies.Result
}

// attempt runs one attempt, unless the task is over: the library may have begun an attempt without
// calling it yet.
func (a *attempts) attempt(ctx context.Context, second bool) (r strategies.Result) {
	if second {
		<-a.begun
	}
	a.mu.Lock()
	if a.over {
		a.mu.Unlock()
		return r
	}
	a.running.Add(1)
	a.mu.Unlock()
	if !second {
		close(a.begun)
	}
	defer a.running.Done()
	done := make(chan strategies.Result, 1)
	go func() {
		engine.Conclude(func() strategies.Result {
			t := a.task
			if second {
				t = new(strategies.Task)
				engine.Copy(t, a.task)
			}
			return t.Run(ctx, t)
		}, func(r strategies.Result, _ bool) { done <- r })
	}()
	if r = <-done; !second {
		a.first = r
	}
	return r
}

func (a *attempts) end() strategies.Result {
	a.mu.Lock()
	a.over = true
	a.mu.Unlock()
	a.running.Wait()
	return a.first
}
