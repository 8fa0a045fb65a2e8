package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// outside is common to parts that keep tasks: it counts tasks here and in the inner strategy, and
// ends both. The inner one is made with New's context instead of ctx, because a Drain at its
// deadline needs the inner number of abandoned tasks.
type outside struct {
	Lifecycle
	from    context.Context // New's, with which what is inside is made, too
	inside  []strategies.Strategy
	handing sync.WaitGroup // goroutines that hand tasks on; they end with ctx
}

// keepAll announces an outer Drain to an instance, which from then on sheds no accepted task.
func keepAll(s strategies.Strategy) {
	if s, sheds := s.(interface{ KeepAll() }); sheds {
		s.KeepAll()
	}
}

// refusal returns the outcome of a task accepted here and refused by the inner strategy with err:
// the instance has ended (seen by the inner one before ctx), or the inner one sheds although its
// Spec declares room.
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

func (s *outside) Counts() []strategies.Count { return strategies.CountsOf(s.inside...) }

// Inner returns the inner instances, for strategies.LearnerOf.
func (s *outside) Inner() []strategies.Strategy { return s.inside }

// drain waits, after the intake has closed, until nothing is kept here and then for the inner
// strategy.
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

// abandon completes a Drain whose ctx has ended.
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
