package engine

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// Adaptive is the engine of the adaptive strategies. It learns its limit from the time inside Run.
// The wait for a slot is excluded, because a lower limit would lengthen it.
type Adaptive struct {
	Backlog
	FIFO
	law     Law
	onLimit func(limit int) // called when the limit changes; may be nil
}

// A Law computes the limit of an Adaptive from its ended tasks.
type Law interface {
	// Learn returns the new limit after the end of one task.
	Learn(e TaskEnd) int
}

// Launch opens the instance with the given initial limit.
func (s *Adaptive) Launch(
	ctx context.Context, p strategies.Params, sink strategies.Sink, law Law, initial int,
) *Adaptive {
	s.law = law
	s.Open(ctx, sink, s, initial, p.Limit+p.Queue, false)
	return s
}

// Ended ignores panicked and cancelled tasks, whose times do not depend on the called service.
func (s *Adaptive) Ended(_ Waiting, e TaskEnd) {
	if !e.own {
		return
	}
	before := s.slots
	if s.slots = s.law.Learn(e); s.slots != before && s.onLimit != nil {
		s.onLimit(s.slots)
	}
}

// Limit implements strategies.Learner.
func (s *Adaptive) Limit() int {
	s.Mutex.Lock()
	defer s.Mutex.Unlock()
	return s.slots
}

// OnLimit implements strategies.Learner.
func (s *Adaptive) OnLimit(f func(limit int)) {
	s.Mutex.Lock()
	defer s.Mutex.Unlock()
	s.onLimit = f
}

// Took returns the time inside Run.
func (e TaskEnd) Took() time.Duration { return e.Ended - e.Began }
