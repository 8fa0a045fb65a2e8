package strategies

import (
	"context"
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// codelLIFO is a bounded queue that changes its manners under overload. As long as it is empty now
// and then, it is first come, first served, and a task may wait for the interval. When it has not
// been empty for as long as the interval, the newest task is served first, and one that comes may
// wait for the target only, which is much shorter. A task that has waited as long as it may is
// given up at that instant: it is done with ErrShed, after it was accepted.
//
// Use it where a response that comes too late is worth nothing, because the client has gone, and
// overloads happen. A bounded queue that is full all the time makes every task wait for its whole
// length, and all may come too late; here the short timeout keeps the queue short, and the newest
// have the best chance to be in time. A burst that the slots can work off within the interval
// loses nothing. It costs fairness: what was unlucky once is not served at all.
//
// What waits is shed by one timer for the whole queue. A task's time runs from acceptance; which of
// the two timeouts it has is decided then, as in the original. Once Drain is called nothing is shed
// any more: there are no newer tasks to make way for, and what was accepted is to be finished.
type codelLIFO struct {
	backlog
	target, interval time.Duration

	// Tasks with one timeout become overdue in the order in which they came, so each timeout has a
	// line of its own.
	calm, pressed ring[waiting]
	since         time.Duration // when the queue was empty last, if it is not now
	late          []*Task       // overdue, for the next wake to shed
	draining      bool
}

var _ = register(queued(Spec{
	Name: "codel_lifo",
	Summary: "a bounded queue that under overload serves the newest first and sheds what has " +
		"waited too long",
	UseIf:   "a late response is worth nothing and overloads happen",
	Source:  "adaptive LIFO and CoDel: Maurer, Fail at Scale, ACM Queue 13(8), 2015",
	OnPanic: "contained; the worker is replaced",
	Keys: []param.Key{
		{Name: "target", Kind: param.Duration, Default: "5ms",
			Doc: "how long a task may wait that comes under overload"},
		{Name: "interval", Kind: param.Duration, Default: "100ms",
			Doc: "how long any other may wait; a queue that was not empty for as long is an " +
				"overload"},
	},

	// when the queue is full; and tasks that it has accepted, when they are overdue
	Sheds:          true,
	WorkConserving: true,

	Check: func(p Params) error {
		target, interval := p.Values.Duration("target"), p.Values.Duration("interval")
		if target <= 0 || target > interval {
			return errors.New("target must be above 0 and at most the interval")
		}
		return nil
	},
	New: func(ctx context.Context, p Params, sink Sink) Strategy {
		s := &codelLIFO{target: p.Values.Duration("target"),
			interval: p.Values.Duration("interval")}
		s.open(ctx, sink, s, p.Limit, p.Limit+p.Queue, true)
		return s
	},
}))

// overloaded says whether the queue, which is not empty, has not been for the interval.
func (s *codelLIFO) overloaded(now time.Duration) bool { return now-s.since >= s.interval }

func (s *codelLIFO) push(w waiting, now time.Duration) {
	s.shed(now)
	if s.calm.n+s.pressed.n == 0 {
		s.since = now
	}
	line, timeout := &s.calm, s.interval
	if s.overloaded(now) {
		line, timeout = &s.pressed, s.target
	}
	line.pushBack(w)
	if !s.draining {
		s.wakeAt(now+timeout, now)
	}
}

// pop takes the newest under overload, otherwise the oldest.
func (s *codelLIFO) pop(now time.Duration) (waiting, bool) {
	s.shed(now)
	switch {
	case s.calm.n+s.pressed.n == 0:
		return waiting{}, false
	case s.overloaded(now):
		if s.calm.n == 0 || s.pressed.n > 0 &&
			s.pressed.at(s.pressed.n-1).seq > s.calm.at(s.calm.n-1).seq {
			return s.pressed.popBack(), true
		}
		return s.calm.popBack(), true
	case s.calm.n == 0 || s.pressed.n > 0 && s.pressed.at(0).seq < s.calm.at(0).seq:
		return s.pressed.popFront(), true
	}
	return s.calm.popFront(), true
}

// shed takes what is overdue out of the queue. The alarm is never set later than the first is due,
// so wake follows at once.
func (s *codelLIFO) shed(now time.Duration) {
	if s.draining {
		return
	}
	for s.calm.n > 0 && now-s.calm.at(0).came >= s.interval {
		s.late = append(s.late, s.calm.popFront().task)
	}
	for s.pressed.n > 0 && now-s.pressed.at(0).came >= s.target {
		s.late = append(s.late, s.pressed.popFront().task)
	}
}

func (s *codelLIFO) ended(waiting, ending) {}

// wake sheds what is overdue, and asks for the next time that something will be.
func (s *codelLIFO) wake(now time.Duration) []*Task {
	s.shed(now)
	if !s.draining {
		if s.calm.n > 0 {
			s.wakeAt(s.calm.at(0).came+s.interval, now)
		}
		if s.pressed.n > 0 {
			s.wakeAt(s.pressed.at(0).came+s.target, now)
		}
	}
	late := s.late
	s.late = nil
	return late
}

func (s *codelLIFO) empty() []*Task {
	late := s.late
	s.late = nil
	return emptied(&s.pressed, emptied(&s.calm, late))
}

// keepAll has everything that waits run.
func (s *codelLIFO) keepAll() {
	s.mu.Lock()
	s.draining = true
	s.silence()
	late := s.late // overdue at this very instant
	s.late = nil
	s.mu.Unlock()
	for _, t := range late {
		s.settle(t, Result{Err: ErrShed})
	}
}

// Drain lets everything that waits run.
func (s *codelLIFO) Drain(ctx context.Context) error {
	s.keepAll()
	return s.backlog.Drain(ctx)
}
