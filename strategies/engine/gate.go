package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A Gate adapts a semaphore, bulkhead or limiter whose permits have type P. Its strategy runs each
// task in its own goroutine with a permit. It handles contexts, shutdown and panics. A reused task
// does not allocate if the submitter reuses its context.
type Gate[P any] struct {
	Try func() (P, bool)
	// Wait blocks for a permit. If Wait is nil, Submit sheds when Try fails.
	Wait func(ctx context.Context) (P, error)
	// Release returns the permit. r is the outcome of the task.
	Release func(permit P, r strategies.Result)
	Limit   func() int // Limit and OnLimit are the methods of a Learner; may be nil
	OnLimit func(f func(limit int))
}

type gate[P any] struct {
	adapter
	lib   Gate[P]
	waits sync.Map // merged contexts, by the Done channel of the submitter's context; see until
}

// Start returns the strategy. It panics unless Try and Release are set.
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
	if g.Limit != nil && g.OnLimit != nil {
		return &learningGate[P]{s}
	}
	return s
}

type learningGate[P any] struct{ *gate[P] }

func (s *learningGate[P]) Limit() int { return s.lib.Limit() }

func (s *learningGate[P]) OnLimit(f func(limit int)) { s.lib.OnLimit(f) }

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
	e.pending.Store(true)
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

// until merges ctx and Intake. The result is cached because merging costs five allocations. The key
// is the Done channel, because contexts need not be comparable.
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
