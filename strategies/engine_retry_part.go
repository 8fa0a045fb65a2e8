package strategies

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/pace"
)

// retryPart makes the attempts at a task one after another in its slot, whatever gave it the slot:
// while the task is inside, its Run is runAttempts.
type retryPart struct {
	Strategy
	retries retries
	count   atomic.Uint64 // of Submits
	sink    Sink
}

func (s *retryPart) Submit(ctx context.Context, t *Task) error {
	t.tries = tries{ordinal: s.count.Add(1) - 1, of: s, run: t.Run}
	t.Run = runAttempts
	err := s.Strategy.Submit(ctx, t)
	if err != nil {
		t.forgetAttempts()
		return err
	}
	s.retries.budget.deposit()
	return nil
}

func (s *retryPart) keepAll() { keepAll(s.Strategy) }

// Done gives the task its Run back.
func (s *retryPart) Done(t *Task, r Result) {
	t.forgetAttempts()
	s.sink.Done(t, r)
}

func (t *Task) forgetAttempts() { t.Run, t.tries = t.tries.run, tries{} }

// runAttempts is the Run of a task with a retryPart.
func runAttempts(ctx context.Context, t *Task) Result {
	s := t.tries.of
	r := runWhole(ctx, t, t.tries.run(ctx, t))
	for r.Retry {
		wait, err := s.retries.next(t, r)
		if err != nil {
			return Result{Err: err}
		}
		if !pause(ctx, wait) {
			return Result{Err: whyEnded(ctx)}
		}
		r = runWhole(ctx, t, t.tries.run(ctx, t))
	}
	return r
}

// runWhole carries out what a step of t asked for, as lifecycle.resume does.
func runWhole(ctx context.Context, t *Task, r Result) Result {
	for r.Err == nil && (r.More || len(r.Split) > 0) {
		switch {
		case ctx.Err() != nil:
			r.Err = whyEnded(ctx)
		case len(r.Split) > 0:
			sub := r.Split[0]
			r.Split = r.Split[1:]
			if part := runWhole(ctx, sub, sub.Run(ctx, sub)); part.Err != nil {
				r.Err, r.Retry, r.After = part.Err, part.Retry, part.After
			}
		case t.tries.run != nil:
			r = t.tries.run(ctx, t)
		default:
			r = t.Run(ctx, t)
		}
	}
	r.More, r.Split = false, nil
	return r
}

// pause waits, and says false when ctx has ended first. No wait needs no timer.
func pause(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return ctx.Err() == nil
	}
	return pace.Sleep(ctx, wait) == nil
}

// whyEnded is the error of a task whose context has ended.
func whyEnded(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), ErrAbandoned) {
		return ErrAbandoned
	}
	return ctx.Err()
}
