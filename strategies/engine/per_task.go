package engine

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
)

// PerTask runs each task in a goroutine of its own: the engine of unbounded, semaphore and their
// kin, and of libraries that take a func.
type PerTask struct {
	Lifecycle
	// holds one element for each slot of the limit that is taken; nil: no limit
	Slots   chan struct{}
	Release func(*strategies.Task) // releases other resources of the task; nil: none
	Tells   bool                   // the func of ErrThunk returns the task's own error
}

// Thunk returns the func that executes t.
func (s *PerTask) Thunk(t *strategies.Task) func() {
	k := &t.Kept().Thunk
	if k.Of != s || k.Run == nil {
		*k = strategies.Thunk{Of: s, Run: func() { s.execute(t) }}
	}
	return k.Run
}

// ErrThunk returns the func that executes t, in the shape that errgroup takes. Its error is nil
// unless s.Tells: otherwise the group would keep the first task's error, which only the sink needs.
func (s *PerTask) ErrThunk(t *strategies.Task) func() error {
	k := &t.Kept().Thunk
	if k.Of != s || k.Try == nil {
		*k = strategies.Thunk{Of: s, Try: func() error {
			if err := s.execute(t); s.Tells {
				return err
			}
			return nil
		}}
	}
	return k.Try
}

// Acquire counts a Submit in and waits for a slot.
func (s *PerTask) Acquire(ctx context.Context) error { return s.Lifecycle.Acquire(ctx, s.Slots) }

// execute is the life of a goroutine that runs one task. Whatever the task does, its slot is given
// back and it is settled, in this order: a client that submits on Done finds room. What it returns
// is the error of a task that returned.
func (s *PerTask) execute(t *strategies.Task) (err error) {
	r, returned := strategies.Result{}, false
	defer func() {
		if !returned {
			r = Failure(recover())
		}
		if s.Slots != nil {
			<-s.Slots
		}
		if s.Release != nil {
			s.Release(t)
		}
		s.Settle(t, r)
	}()
	r = s.Run(t)
	returned = true
	return r.Err
}
