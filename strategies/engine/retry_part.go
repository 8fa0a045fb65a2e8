package engine

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/strategies"
)

// RetryPart makes all attempts at a task in one slot of the inner strategy. It replaces the task's
// Run meanwhile.
type RetryPart struct {
	strategies.Strategy
	Retries Retries
	count   atomic.Uint64 // number of Submits
	Sink    strategies.Sink
}

// Submit submits t to the inner strategy.
func (s *RetryPart) Submit(ctx context.Context, t *strategies.Task) error {
	t.Scratch().Tries = strategies.AttemptState{Ordinal: s.count.Add(1) - 1, Of: s, Run: t.Run}
	t.Run = runAttempts
	err := s.Strategy.Submit(ctx, t)
	if err != nil {
		forgetAttempts(t)
		return err
	}
	s.Retries.budget.Deposit()
	return nil
}

// KeepAll stops the inner strategy from shedding waiting tasks.
func (s *RetryPart) KeepAll() { keepAll(s.Strategy) }

// Counts implements strategies.Counted.
func (s *RetryPart) Counts() []strategies.Count { return strategies.CountsOf(s.Strategy) }

// Inner returns the inner instance.
func (s *RetryPart) Inner() []strategies.Strategy { return []strategies.Strategy{s.Strategy} }

// Done restores the task's Run.
func (s *RetryPart) Done(t *strategies.Task, r strategies.Result) {
	forgetAttempts(t)
	s.Sink.Done(t, r)
}

func forgetAttempts(t *strategies.Task) {
	k := &t.Scratch().Tries
	t.Run, *k = k.Run, strategies.AttemptState{}
}

func runAttempts(ctx context.Context, t *strategies.Task) strategies.Result {
	s := t.Scratch().Tries.Of.(*RetryPart)
	run := t.Scratch().Tries.Run
	ended := func() error { return whyEnded(ctx) }
	r := carryOut(ctx, t, run(ctx, t), run, ended)
	for r.Retry {
		wait, err := s.Retries.Next(t, r)
		if err != nil {
			return strategies.Result{Err: err}
		}
		if pace.Sleep(ctx, wait) != nil {
			return strategies.Result{Err: whyEnded(ctx)}
		}
		r = carryOut(ctx, t, run(ctx, t), run, ended)
	}
	return r
}

func whyEnded(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), strategies.ErrAbandoned) {
		return strategies.ErrAbandoned
	}
	return ctx.Err()
}
