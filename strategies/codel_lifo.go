package strategies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	codelQueue
}

var codelLIFOSpec = register(queued(Spec{
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
		s := &codelLIFO{codelQueue: newCodelQueue(p.Values)}
		s.open(ctx, sink, s, p.Limit, p.Limit+p.Queue, true)
		return s
	},
}))

var _ = registerPart(Part{
	Name: codelLIFOSpec.Name,
	Summary: "a bounded queue for what finds no slot inside, that under overload hands on the " +
		"newest first and sheds what has waited too long",
	Keys: append([]param.Key{{Name: "queue", Kind: param.Int, Default: "100",
		Doc: "tasks that may wait for a slot"}}, codelLIFOSpec.Keys...),
	role:  admission,
	holds: true,
	check: func(p Params) error { return cmp.Or(checkQueue(p.Values), codelLIFOSpec.Check(p)) },
	refuses: func(_ param.Values, inner Spec) error {
		if inner.Retries {
			return fmt.Errorf("a task that waits for another attempt would be taken for one that "+
				"has a slot: have %s inside the retry", codelLIFOSpec.Name)
		}
		return refusesShedder(inner)
	},
	alter: func(s *Spec, inner Spec, l layer) {
		alterShedder(s, inner, l)
		s.FIFO = false
	},
	start: func(
		ctx context.Context, own param.Values, inner Spec, in Params, sink Sink,
	) Strategy {
		slots, queue := inner.Bound(in), newCodelQueue(own)
		s := &hold{room: make(chan struct{}, slots+own.Int("queue")), sheds: true, most: slots,
			codel: &queue}
		return s.start(ctx, inner, in, sink)
	},
})

func (s *codelLIFO) push(w waiting, now time.Duration) {
	timeout := s.codelQueue.push(w, now)
	if !s.draining {
		s.wakeAt(now+timeout, now)
	}
}

func (s *codelLIFO) ended(waiting, ending) {}

// wake sheds what is overdue, and asks for the next time that something will be.
func (s *codelLIFO) wake(now time.Duration) []*Task {
	late := s.takeLate(now)
	if at, ok := s.overdueAt(); ok {
		s.wakeAt(at, now)
	}
	return late
}

// keepAll has everything that waits run.
func (s *codelLIFO) keepAll() {
	s.mu.Lock()
	late := s.codelQueue.keepAll() // overdue at this very instant
	s.silence()
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
