package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// outside is common to the parts that keep tasks: it counts the tasks kept here and in the inner
// strategy, and ends both. The inner one is made with New's context and not with ctx, because a
// Drain whose deadline ends needs its number of abandoned tasks.
type outside struct {
	Lifecycle
	from    context.Context // New's, with which what is inside is made, too
	inside  []strategies.Strategy
	handing sync.WaitGroup // goroutines that hand tasks on; they end with ctx
}

// keepAll tells an instance that Drain has been called outside it, before its own is: from then on
// it sheds nothing that it has accepted.
func keepAll(s strategies.Strategy) {
	if s, sheds := s.(interface{ KeepAll() }); sheds {
		s.KeepAll()
	}
}

// refusal is the outcome of a task that was accepted here and refused with err by the inner
// strategy: either the instance has ended, which the inner one may see before ctx, or the inner one
// sheds although its Spec declares room.
func (s *outside) refusal(t *strategies.Task, err error) error {
	switch {
	case s.Ctx.Err() != nil:
		return s.GiveUpOn(t)
	case s.from.Err() != nil:
		return s.from.Err()
	}
	return err
}

func (s *outside) KeepAll() {
	for _, inner := range s.inside {
		keepAll(inner)
	}
}

// Counts implements strategies.Counted.
func (s *outside) Counts() []strategies.Count { return strategies.CountsOf(s.inside...) }

// drain is the rest of a Drain after the intake has closed: it waits until nothing is kept here any
// more, and then for what is inside.
func (s *outside) drain(ctx context.Context) error {
	select {
	case <-s.Idle:
	default:
		select {
		case <-s.Idle:
		case <-ctx.Done():
			return s.abandon(ctx)
		}
	}
	s.handing.Wait()
	s.Alive.Wait()
	var errs [2]error
	for i, inner := range s.inside {
		errs[i] = inner.Drain(context.Background())
	}
	return errors.Join(errs[:]...)
}

// abandon is the rest of a Drain whose ctx has ended.
func (s *outside) abandon(ctx context.Context) error {
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
	s.handing.Wait()
	if total.Running == 0 {
		<-s.Idle
		s.Alive.Wait()
	}
	total.Abandoned += int(s.abandoned.Load())
	return total
}
