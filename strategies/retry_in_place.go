package strategies

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/pace"
)

// retryInPlace is worker_pool with retries: when an attempt asks for another, its worker sleeps
// until the time for it and tries again.
//
// It is what a retry loop inside the task does, and what the retry libraries offer. Use it if
// failures are rare, or if a failure means that everybody should slow down: a sleeping worker is
// backpressure. It costs the slot: with Limit tasks in backoff the pool stands still, whatever
// else waits, and so it is not work-conserving. retry_queue gives the slot away instead.
//
// A task that panics or ends its goroutine is not tried again: nothing says that it may be.
type retryInPlace struct {
	workers
	retries retries
	count   atomic.Uint64 // of Submits
}

var retryInPlaceSpec = register(queued(Spec{
	Name:    "retry_in_place",
	Summary: "a worker pool whose workers sleep between the attempts at a task",
	UseIf:   "failures are rare, or should slow everything down",
	Source: "the stock scraper's way out of HTTP 429: exponential backoff with full jitter in " +
		"the worker",
	OnPanic: "contained, and not tried again; the worker is replaced",
	Keys:    retryKeys(),

	FIFO:    true,
	Retries: true,
	Check:   checkRetries,

	New: func(ctx context.Context, p Params, sink Sink) Strategy {
		s := &retryInPlace{retries: newRetries(p)}
		s.again = s.sleepAndRun
		s.start(ctx, retrySink{sink: sink}, p.Limit, p.Queue)
		return s
	},
}))

var _ = registerPart(Part{
	Name:    retryInPlaceSpec.Name,
	Summary: "attempts at a task in the slot that it holds, with the backoff between them",
	Keys:    retryKeys(budgetKey),
	role:    attempts,
	check: func(p Params) error {
		return cmp.Or(checkRetries(p), checkBudget(p.Values))
	},
	refuses: func(_ param.Values, inner Spec) error {
		switch {
		case len(inner.around) > 0:
			return fmt.Errorf("it keeps the slot, and so stands last, before %s; retry can stand "+
				"before %s", inner.base, inner.around[0])
		case inner.Quantum != nil || inner.Splits:
			return fmt.Errorf("it runs a task to its end, and %s runs steps", inner.Name)
		}
		return nil
	},
	alter: func(s *Spec, _ Spec, _ layer) { s.Retries, s.WorkConserving = true, false },
	start: func(
		ctx context.Context, own param.Values, inner Spec, in Params, sink Sink,
	) Strategy {
		s := &retryPart{retries: newPartRetries(own), sink: sink}
		s.Strategy = inner.New(ctx, in, s)
		return s
	},
})

// Submit blocks until the channel, or a worker itself, takes the task.
func (s *retryInPlace) Submit(ctx context.Context, t *Task) error {
	t.tries = tries{ordinal: s.count.Add(1) - 1}
	return s.workers.Submit(ctx, t)
}

// sleepAndRun makes further attempts until one is final.
func (s *retryInPlace) sleepAndRun(t *Task, r Result) (final Result, later bool) {
	for r.Retry {
		wait, err := s.retries.next(t, r)
		if err != nil {
			return Result{Err: err}, false
		}
		if !s.pause(wait) {
			return Result{Err: s.endedBy()}, false
		}
		r = s.run(t)
	}
	return r, false
}

// pause waits that long in the worker, and says false when ctx has ended first. No wait needs no
// timer.
func (s *retryInPlace) pause(wait time.Duration) bool {
	if wait <= 0 {
		return s.ctx.Err() == nil
	}
	return pace.Sleep(s.ctx, wait) == nil
}
