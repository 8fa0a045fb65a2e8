package strategytest_test

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func (s *reference) settle(t *strategies.Task, r strategies.Result) {
	switch s.fault {
	case settlesOthers:
		s.sink.Done(nil, r)
	case changesTask:
		t.Size++
		s.sink.Done(t, r)
	default:
		s.sink.Done(t, r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == settlesTwice && s.inside%10 == 0 {
		s.sink.Done(t, r)
	}
	if s.inside%10 == 0 {
		switch s.fault {
		case settlesNil:
			s.sink.Done(nil, r)
		case settlesForeign:
			s.sink.Done(&strategies.Task{Arg: s}, r)
		case settlesCopy:
			other := *t
			s.sink.Done(&other, r)
		}
	}
	if s.fault == remembersTasks || s.fault == panicsThroughAndRemembers {
		s.kept = append(s.kept, t)
	}
	s.inside--
	s.endIfIdle()
}

// The caller holds mu.
func (s *reference) endIfIdle() {
	if s.closed && s.inside == 0 {
		select {
		case <-s.idle:
		default:
			close(s.idle)
		}
	}
}

// newEnded finishes queued tasks after New's context has ended or a Drain has cancelled it.
func (s *reference) newEnded() {
	s.closeIntake()
	if s.fault != deafToNew {
		s.sweep(s.ctx.Err())
	}
}

// sweep finishes queued tasks that have not started.
func (s *reference) sweep(err error) {
	s.mu.Lock()
	var queued []*strategies.Task
	var begun []*entry
	for _, e := range s.queue {
		switch {
		case e.grant == nil:
			queued = append(queued, e.task)
		case s.ctx.Err() != nil:
			e.grant <- nowhere
		default:
			begun = append(begun, e)
		}
	}
	s.queue = begun
	if err == strategies.ErrAbandoned {
		s.abandoned += len(queued)
	}
	if err == strategies.ErrAbandoned && s.fault == losesOnDrain {
		s.inside -= len(queued)
		queued = nil
		s.endIfIdle()
	}
	s.mu.Unlock()
	for _, t := range queued {
		s.settle(t, strategies.Result{Err: err})
	}
}

func (s *reference) closeIntake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, w := range s.line {
		w.outcome <- strategies.ErrClosed
	}
	s.line = nil
	s.endIfIdle()
}

func (s *reference) Drain(ctx context.Context) error {
	s.closeIntake()
	s.mu.Lock()
	hangs := s.fault == hangsAfterMany && s.accepted >= 700
	s.mu.Unlock()
	if hangs {
		time.Sleep(tooLate)
	}
	select {
	case <-s.idle:
		return nil
	case <-ctx.Done():
	}
	s.sweep(strategies.ErrAbandoned)
	s.cancel(strategies.ErrAbandoned)
	grace := time.NewTimer(strategies.DrainGrace)
	defer grace.Stop()
	select {
	case <-s.idle:
	case <-grace.C:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &strategies.DrainError{Abandoned: s.abandoned, Running: s.inside, Cause: ctx.Err()}
}
