package builtin

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// retryInPlace is worker_pool with retries. Its worker sleeps before the next attempt, like a retry
// loop inside the task. A sleeping worker is backpressure: with Limit tasks in backoff the pool
// stands still. A task that panics or calls Goexit is not retried.
type retryInPlace struct {
	engine.Workers
	retries engine.Retries
	count   atomic.Uint64 // number of Submits
}

var retryInPlaceSpec = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "retry_in_place",
	Summary: "a worker pool whose workers sleep between the attempts at a task",
	UseIf:   "failures are rare, or should slow everything down",
	Source: "the stock scraper's way out of HTTP 429: exponential backoff with full jitter in " +
		"the worker",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Calls},
	OnPanic: "contained, and not tried again; the worker is replaced",
	Keys:    engine.RetryKeys(),

	FIFO:    true,
	Retries: true,
	Check:   engine.CheckRetries,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &retryInPlace{retries: engine.NewRetries(p)}
		s.Again = s.sleepAndRun
		s.Start(ctx, engine.RetrySink{Sink: sink}, p.Limit, p.Queue)
		return s
	},
}))

var _ = strategies.RegisterPart(strategies.Part{
	Name:    retryInPlaceSpec.Name,
	Summary: "attempts at a task in the slot that it holds, with the backoff between them",
	Keys:    engine.RetryKeys(engine.BudgetKey),
	Changes: strategies.Attempts,
	Check: func(p strategies.Params) error {
		return cmp.Or(engine.CheckRetries(p), engine.CheckBudget(p.Values))
	},
	Refuses: func(_ param.Values, inner strategies.Spec) error {
		switch {
		case len(inner.Around) > 0:
			return fmt.Errorf("it keeps the slot, so it must be the last part before %s; retry "+
				"may be before %s", inner.Base, inner.Around[0])
		case inner.Quantum != nil || inner.Splits:
			return fmt.Errorf("it runs a task to its end, and %s runs steps", inner.Name)
		}
		return nil
	},
	Alter: func(s *strategies.Spec, _ strategies.Spec, _ strategies.Layer) {
		s.Retries, s.WorkConserving = true, false
	},
	Start: func(
		ctx context.Context, own param.Values, inner strategies.Spec, in strategies.Params,
		sink strategies.Sink,
	) strategies.Strategy {
		s := &engine.RetryPart{Retries: engine.NewPartRetries(own), Sink: sink}
		s.Strategy = inner.New(ctx, in, s)
		return s
	},
})

func (s *retryInPlace) Submit(ctx context.Context, t *strategies.Task) error {
	t.Scratch().Tries = strategies.AttemptState{Ordinal: s.count.Add(1) - 1}
	return s.Workers.Submit(ctx, t)
}

func (s *retryInPlace) sleepAndRun(
	t *strategies.Task, r strategies.Result,
) (final strategies.Result, later bool) {
	for r.Retry {
		wait, err := s.retries.Next(t, r)
		if err != nil {
			return strategies.Result{Err: err}, false
		}
		if pace.Sleep(s.Ctx, wait) != nil {
			return strategies.Result{Err: s.EndedBy()}, false
		}
		r = s.Run(t)
	}
	return r, false
}
