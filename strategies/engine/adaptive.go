package engine

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// Adaptive learns its limit from the response times of its tasks: the engine of adaptive_aimd and
// adaptive_gradient. Tasks wait for a slot in the order of acceptance.
//
// It measures the time inside Run, which is the response time of the service called. The wait for a
// slot is left out: the limit itself causes it, and a lower limit would make it longer still.
type Adaptive struct {
	Backlog
	FIFO
	law Law
}

// A Law computes the limit of an Adaptive from the ends of its tasks.
type Law interface {
	// Learn takes the end of one task and returns the limit from now on.
	Learn(e Ending) int
}

// Launch opens the instance with a limit of initial; law changes it from then on.
func (s *Adaptive) Launch(
	ctx context.Context, p strategies.Params, sink strategies.Sink, law Law, initial int,
) *Adaptive {
	s.law = law
	s.Open(ctx, sink, s, initial, p.Limit+p.Queue, false)
	return s
}

// Ended learns from the end of a task, unless the task panicked, which says nothing about the
// service called, or was cancelled.
func (s *Adaptive) Ended(_ Waiting, e Ending) {
	if e.own {
		s.slots = s.law.Learn(e)
	}
}

// Limit returns the current limit. Callers find it by an assertion to interface{ Limit() int }.
func (s *Adaptive) Limit() int {
	s.Mutex.Lock()
	defer s.Mutex.Unlock()
	return s.slots
}

// Took is the time inside Run.
func (e Ending) Took() time.Duration { return e.Ended - e.Began }
