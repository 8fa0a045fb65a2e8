package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A Gate adapts a semaphore, bulkhead or limiter, and Start makes a strategy of it that runs each
// task in a goroutine with a permit of type P.
//
//	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
//		gate := mine.NewSemaphore(p.Limit)
//		return engine.Gate[struct{}]{Try: …, Wait: …, Release: …}.Start(ctx, sink)
//	}
//
// The Gate handles contexts, closing and panics as an Executor does. It starts a goroutine per task
// and does not allocate for a prebuilt task if the submitter reuses its context.
type Gate[P any] struct {
	// Try returns a permit if one is available.
	Try func() (P, bool)
	// Wait blocks for a permit and returns an error when ctx ends first. If nil, Submit sheds when Try
	// fails.
	Wait func(ctx context.Context) (P, error)
	// Release returns the permit. r is the task's outcome, for limiters that learn from it.
	Release func(permit P, r strategies.Result)
}

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

// until returns a context that ends with ctx or when the intake closes, because gates accept one
// context. Making it costs five allocations, so it is cached for the submitter's context,
// identified by its Done channel because contexts need not be comparable.
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
