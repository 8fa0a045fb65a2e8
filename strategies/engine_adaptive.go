package strategies

import (
	"context"
	"time"
)

// adaptive has a limit that is learnt from how its tasks fare: the engine of adaptive_aimd and
// adaptive_gradient. Tasks wait for a place in the order of acceptance.
//
// What is measured is the time inside Run, which is the response of whatever the task calls. The
// wait for a slot is left out: it is of the limit's own making, and a limit that falls because of
// it makes it longer still.
type adaptive struct {
	backlog
	fifo
	law law
}

// A law decides the limit.
type law interface {
	// learn takes the end of one task and returns the limit from now on.
	learn(e ending) int
}

func (s *adaptive) launch(
	ctx context.Context, p Params, sink Sink, law law, initial int,
) *adaptive {
	s.law = law
	s.open(ctx, sink, s, initial, p.Limit+p.Queue, false)
	return s
}

// ended learns from the end of a task, unless it panicked, which says nothing about what it called,
// or was cancelled.
func (s *adaptive) ended(_ waiting, e ending) {
	if e.own {
		s.slots = s.law.learn(e)
	}
}

// Limit returns the limit learnt so far. Callers that want to draw it find it by an assertion to
// interface{ Limit() int }.
func (s *adaptive) Limit() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slots
}

// took is the time inside Run.
func (e ending) took() time.Duration { return e.ended - e.began }
