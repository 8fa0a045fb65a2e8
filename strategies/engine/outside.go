package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// partState is the common state of parts that keep tasks. An inner instance has New's context, not
// Ctx, because a Drain at its deadline needs the number of tasks that the inner instance abandoned.
type partState struct {
	Lifecycle
	newCtx     context.Context // New's context, which the inner instances share
	inside     []strategies.Strategy
	forwarders sync.WaitGroup // goroutines that forward tasks; they end with Ctx
}

// keepAll stops s from shedding accepted tasks.
func keepAll(s strategies.Strategy) {
	if s, sheds := s.(interface{ KeepAll() }); sheds {
		s.KeepAll()
	}
}

// The inner strategy refused an accepted task with err, because the instance has ended or the inner
// strategy sheds although its Spec declares room.
func (s *partState) refusal(t *strategies.Task, err error) error {
	switch {
	case s.Ctx.Err() != nil:
		return s.GiveUpOn(t)
	case s.newCtx.Err() != nil:
		return s.newCtx.Err()
	}
	return err
}

func (s *partState) KeepAll() {
	for _, inner := range s.inside {
		keepAll(inner)
	}
}

func (s *partState) Counts() []strategies.Count { return strategies.CountsOf(s.inside...) }

func (s *partState) Inner() []strategies.Strategy { return s.inside }

// The intake must be closed.
func (s *partState) drain(ctx context.Context) error {
	select {
	case <-s.Idle:
	default:
		select {
		case <-s.Idle:
		case <-ctx.Done():
			return s.abandon(ctx)
		}
	}
	s.forwarders.Wait()
	s.Alive.Wait()
	var errs [2]error
	for i, inner := range s.inside {
		errs[i] = inner.Drain(context.Background())
	}
	return errors.Join(errs[:]...)
}

func (s *partState) abandon(ctx context.Context) error {
	s.Cancel(strategies.ErrAbandoned)
	s.Sweep()
	total := &strategies.DrainError{Cause: ctx.Err()}
	ends := make([]error, len(s.inside))
	var each sync.WaitGroup
	for i, inner := range s.inside {
		each.Go(func() { ends[i] = inner.Drain(ctx) })
	}
	each.Wait()
	for _, err := range ends {
		if e, is := errors.AsType[*strategies.DrainError](err); is {
			total.Abandoned += e.Abandoned
			total.Running += e.Running
		}
	}
	s.forwarders.Wait()
	if total.Running == 0 {
		<-s.Idle
		s.Alive.Wait()
	}
	total.Abandoned += int(s.abandoned.Load())
	return total
}
