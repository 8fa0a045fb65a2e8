package engine

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// Adaptive has a limit that is learnt from how its tasks fare: the engine of adaptive_aimd and
// adaptive_gradient. Tasks wait for a place in the order of acceptance.
//
// What is measured is the time inside Run, which is the response of whatever the task calls. The
// wait for a slot is left out: it is of the limit's own making, and a limit that falls because of
// it makes it longer still.
type Adaptive struct {
	Backlog
	FIFO
	law Law
}

// A Law decides the limit.
type Law interface {
	// learn takes the end of one task and returns the limit from now on.
	Learn(e Ending) int
}

// Launch opens the instance with a limit of initial, which law changes from then on.
func (s *Adaptive) Launch(
	ctx context.Context, p strategies.Params, sink strategies.Sink, law Law, initial int,
) *Adaptive {
	s.law = law
	s.Open(ctx, sink, s, initial, p.Limit+p.Queue, false)
	return s
}

// Ended learns from the end of a task, unless it panicked, which says nothing about what it called,
// or was cancelled.
func (s *Adaptive) Ended(_ Waiting, e Ending) {
	if e.own {
		s.slots = s.law.Learn(e)
	}
}

// Limit returns the limit learnt so far. Callers that want to draw it find it by an assertion to
// interface{ Limit() int }.
func (s *Adaptive) Limit() int {
	s.Mutex.Lock()
	defer s.Mutex.Unlock()
	return s.slots
}

// Took is the time inside Run.
func (e Ending) Took() time.Duration { return e.Ended - e.Began }
