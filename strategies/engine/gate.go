package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A Gate adapts a semaphore, bulkhead or limiter, and Start makes a strategy of it, which takes a
// permit for each task and runs it in a goroutine of its own. P is the type of a permit.
//
//	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
//		gate := mine.NewSemaphore(p.Limit)
//		return engine.Gate[struct{}]{Try: …, Wait: …, Release: …}.Start(ctx, sink)
//	}
//
// The Gate keeps the contract, as an Executor does. It costs the start of a goroutine per task, and
// no allocation for a prebuilt task as long as the submitter uses the same context.
type Gate[P any] struct {
	// Try takes a permit if there is one at once.
	Try func() (P, bool)
	// Wait blocks until it has a permit, and returns an error when ctx ends first. Nil: Submit
	// sheds when Try fails.
	Wait func(ctx context.Context) (P, error)
	// Release gives the permit back. r is the task's outcome, for a limiter that learns from it.
	Release func(permit P, r strategies.Result)
}

// gate is a running Gate.
type gate[P any] struct {
	adapter
	lib   Gate[P]
	waits sync.Map // of contexts by the Done channel of the submitter's: see until
}

// Start makes the strategy. It panics unless Try and Release are set.
func (g Gate[P]) Start(ctx context.Context, sink strategies.Sink) strategies.Strategy {
	if g.Try == nil || g.Release == nil {
		panic("strategies: a Gate needs Try and Release")
	}
	s := &gate[P]{lib: g}
	s.yield = func(e *handle, r strategies.Result) {
		permit := e.permit.(P)
		e.permit = nil
		g.Release(permit, r)
	}
	s.Open(ctx, sink, nil)
	return s
}

// Submit implements Strategy.
func (s *gate[P]) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Enter(ctx); err != nil {
		return err
	}
	permit, ok := s.lib.Try()
	if !ok {
		var err error
		if permit, err = s.wait(ctx); err != nil {
			s.Leave()
			return err
		}
	}
	e := s.handle(t)
	e.permit = permit
	e.waits.Store(true)
	go e.run()
	return nil
}

// wait blocks for a permit.
func (s *gate[P]) wait(ctx context.Context) (permit P, err error) {
	if s.lib.Wait == nil {
		return permit, strategies.ErrShed
	}
	permit, err = s.lib.Wait(s.until(ctx))
	switch {
	case err == nil:
		return permit, nil
	case ctx.Err() != nil:
		return permit, ctx.Err()
	case s.Intake.Err() != nil:
		return permit, strategies.ErrClosed
	}
	return permit, err
}

// until returns a context that ends with ctx and when the intake closes: what a blocked Submit
// waits with, since gates take one context. To make one costs five allocations and more time than
// most gates. A submitter comes with the same context again, so it is kept until it ends; it is
// known by the Done channel, because a context need not be comparable.
func (s *gate[P]) until(ctx context.Context) context.Context {
	done := ctx.Done()
	if done == nil {
		return s.Intake
	}
	if both, ok := s.waits.Load(done); ok {
		return both.(context.Context)
	}
	both, cancel := context.WithCancel(ctx)
	if first, lost := s.waits.LoadOrStore(done, both); lost {
		cancel()
		return first.(context.Context)
	}
	unhook := context.AfterFunc(s.Intake, cancel)
	context.AfterFunc(both, func() {
		unhook()
		s.waits.Delete(done)
	})
	return both
}
