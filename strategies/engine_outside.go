package strategies

import (
	"context"
	"errors"
	"sync"
)

// outside is what parts that keep tasks have in common: the count of what is kept here and inside,
// and the end of both. What is inside is made with New's context and not with ctx, because a Drain
// whose deadline ends has to hear from what is inside how many tasks that has abandoned.
type outside struct {
	lifecycle
	from    context.Context // New's, with which what is inside is made, too
	inside  []Strategy
	handing sync.WaitGroup // goroutines that hand tasks on; they end with ctx
}

// keepAll tells an instance that Drain has been called outside it, before its own is: from then on
// it sheds nothing that it has accepted.
func keepAll(s Strategy) {
	if s, sheds := s.(interface{ keepAll() }); sheds {
		s.keepAll()
	}
}

// refusal is the outcome of a task that was accepted here, and refused with err inside: either the
// instance has ended, which what is inside may see before ctx, or what is inside sheds what its
// Spec says there is room for.
func (s *outside) refusal(t *Task, err error) error {
	switch {
	case s.ctx.Err() != nil:
		return s.giveUpOn(t)
	case s.from.Err() != nil:
		return s.from.Err()
	}
	return err
}

func (s *outside) keepAll() {
	for _, inner := range s.inside {
		keepAll(inner)
	}
}

// drain is the rest of a Drain after the intake has closed: it waits until nothing is kept here any
// more, and then for what is inside.
func (s *outside) drain(ctx context.Context) error {
	select {
	case <-s.idle:
	default:
		select {
		case <-s.idle:
		case <-ctx.Done():
			return s.abandon(ctx)
		}
	}
	s.handing.Wait()
	s.alive.Wait()
	var errs [2]error
	for i, inner := range s.inside {
		errs[i] = inner.Drain(context.Background())
	}
	return errors.Join(errs[:]...)
}

// abandon is the rest of a Drain whose ctx has ended.
func (s *outside) abandon(ctx context.Context) error {
	s.cancel(ErrAbandoned)
	s.sweep()
	total := &DrainError{Cause: ctx.Err()}
	ends := make([]error, len(s.inside))
	var each sync.WaitGroup
	for i, inner := range s.inside {
		each.Go(func() { ends[i] = inner.Drain(ctx) })
	}
	each.Wait()
	for _, err := range ends {
		var e *DrainError
		if errors.As(err, &e) {
			total.Abandoned += e.Abandoned
			total.Running += e.Running
		}
	}
	s.handing.Wait()
	if total.Running == 0 {
		<-s.idle
		s.alive.Wait()
	}
	total.Abandoned += int(s.abandoned.Load())
	return total
}
