package engine

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
)

// PerTask runs each task in its own goroutine.
type PerTask struct {
	Lifecycle
	// one element per used slot; nil means no limit
	Slots   chan struct{}
	Release func(*strategies.Task) // releases other resources of the task; may be nil
	Tells   bool                   // whether the func of ErrThunk returns the task's error
}

// Thunk returns the func that executes t.
func (s *PerTask) Thunk(t *strategies.Task) func() {
	k := &t.Scratch().Thunk
	if k.Of != s || k.Run == nil {
		*k = strategies.Thunk{Of: s, Run: func() { s.execute(t) }}
	}
	return k.Run
}

// ErrThunk returns the func that executes t for errgroup. The func returns nil unless s.Tells is
// set, because the group would keep the first error until its end.
func (s *PerTask) ErrThunk(t *strategies.Task) func() error {
	k := &t.Scratch().Thunk
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
