package builtin

import (
	"context"
	"fmt"
	"sync/atomic"

	weighted "golang.org/x/sync/semaphore"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// weightedSemaphore starts a goroutine for each task after taking Task.Weight (0 counts as 1) of
// Limit units from a golang.org/x/sync/semaphore. A Submit that waits costs three allocations. Its
// context must also end when the intake closes, so the merged context is kept for the next Submit.
//
// A task with too few units blocks all later ones, so heavy tasks do not starve, but units may
// idle. A weight above the limit waits until the context ends or the intake closes. A negative
// weight panics.
type weightedSemaphore struct {
	engine.PerTask
	limit int64
	units *weighted.Weighted
	// reused by the next Submit with the same context; replaced only after it has ended
	cached atomic.Pointer[joinedContext]
}

var _ = strategies.RegisterBuiltin(engine.Slotted(strategies.Spec{
	Name:    "weighted_semaphore",
	Summary: "a goroutine per task, admitted by golang.org/x/sync/semaphore with the task's weight",
	UseIf:   "tasks need different amounts of a scarce resource",
	Source:  "golang.org/x/sync/semaphore",
	Parts:   1, // the semaphore's module
	Weighs:  true,
	Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Weights},
	OnPanic: "contained; the task's goroutine ends and its units are given back",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &weightedSemaphore{limit: int64(p.Limit), units: weighted.NewWeighted(int64(p.Limit))}
		s.Release = func(t *strategies.Task) { s.units.Release(weight(t)) }
		s.Open(ctx, sink, nil)
		return s
	},
}))

// weight returns the units of t, which must not change between Submit and Done.
func weight(t *strategies.Task) int64 { return max(t.Weight, 1) }

func (s *weightedSemaphore) Submit(ctx context.Context, t *strategies.Task) error {
	if t.Weight < 0 {
		panic(fmt.Sprintf("weighted_semaphore: a task of weight %d", t.Weight))
	}
	if err := s.Enter(ctx); err != nil {
		return err
	}
	if !s.units.TryAcquire(weight(t)) {
		if err := s.wait(ctx, weight(t)); err != nil {
			s.Leave()
			return err
		}
	}
	go s.Thunk(t)()
	return nil
}

func (s *weightedSemaphore) wait(ctx context.Context, n int64) error {
	j := s.cached.Load()
	if j == nil || j.done != ctx.Done() {
		previous := j
		j = s.joinContexts(ctx)
		switch {
		case previous != nil && previous.Err() == nil, !s.cached.CompareAndSwap(previous, j):
			defer j.cancel()
		case previous != nil:
			previous.cancel()
		}
	}
	if s.units.Acquire(j, n) == nil {
		return nil
	}
	switch err := ctx.Err(); {
	case err == nil:
		return strategies.ErrClosed
	case n > s.limit:
		return fmt.Errorf("a weight of %d is above the limit of %d: %w", n, s.limit, err)
	default:
		return err
	}
}

type joinedContext struct {
	context.Context
	done   <-chan struct{} // Done of the Submit's context
	cancel func()          // releases the resources of both contexts
}

func (s *weightedSemaphore) joinContexts(ctx context.Context) *joinedContext {
	both, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.Intake, cancel)
	return &joinedContext{both, ctx.Done(), func() { stop(); cancel() }}
}
