package strategies

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A hold is the engine of the parts that keep accepted tasks before they hand them on: for a token,
// for another attempt, or until what is inside has room. It counts what is inside, waiting or
// handed on, and is full with as many tasks as room holds.
//
// One goroutine hands tasks on in the order of acceptance, so that a Submit inside may block and
// the caller's be accepted. Where it cannot block, because there is always room inside and nothing
// to wait for, Submit goes straight on, and the goroutine does no more than time the further
// attempts.
type hold struct {
	outside
	room   chan struct{} // holds one element for each task inside; nil: it is never full
	sheds  bool          // when it is full
	direct bool          // Submit goes straight on
	most   int           // tasks handed on and not done; 0: as many as will fit
	pace   pacer         // nil: tasks need not wait for each other
	codel  *codelQueue   // in the place of ready; nil: first come, first served
	// what tries tasks again; nil: nothing does
	retries *retries
	count   atomic.Uint64 // of Submits
	began   time.Time     // all instants here are counted from it

	mu      sync.Mutex
	ready   ring[waiting] // in the order of acceptance
	delayed heap          // by the time of the next attempt
	pushed  uint64        // tasks so far
	within  int           // tasks handed on and not done, where most counts
	over    bool          // ctx has ended: nothing is kept any more

	wake chan struct{} // has one element when there may be something to hand on
}

// A pacer says when the head of a queue may go.
type pacer interface {
	// at is called until the answer has come, and returns the same instant until spend is called
	at(now time.Duration, began time.Time) time.Duration
	spend(now time.Duration)
}

// holdOf makes a hold that is full with as many tasks as fit inside, and more beyond them.
func holdOf(inner Spec, in Params, more int, sheds bool) *hold {
	s := &hold{sheds: sheds}
	if inner.Capacity != nil {
		s.room = make(chan struct{}, inner.Capacity(in)+more)
	}
	return s
}

// start opens the instance and makes what is inside.
func (s *hold) start(ctx context.Context, inner Spec, in Params, sink Sink) *hold {
	s.direct = s.pace == nil && s.codel == nil && (inner.Sheds || inner.Capacity == nil ||
		cap(s.room) <= inner.Capacity(in))
	s.began, s.drop, s.from = time.Now(), s.dropHeld, ctx
	s.wake = make(chan struct{}, 1)
	s.inside = []Strategy{inner.New(ctx, in, s)}
	s.open(ctx, sink, nil)
	s.handing.Go(s.handOn)
	return s
}

// Submit blocks or sheds when it is full.
func (s *hold) Submit(ctx context.Context, t *Task) error {
	if err := s.enterRoom(ctx); err != nil {
		return err
	}
	if s.retries != nil {
		t.tries = tries{ordinal: s.count.Add(1) - 1}
	}
	if !s.direct {
		s.keep(t)
	} else if err := s.inside[0].Submit(ctx, t); err != nil {
		s.forget(t)
		s.leave()
		return err
	}
	if s.retries != nil {
		s.retries.budget.deposit()
	}
	return nil
}

func (s *hold) enterRoom(ctx context.Context) error {
	switch {
	case s.room == nil:
		return s.enter(ctx)
	case !s.sheds:
		return s.acquire(ctx, s.room)
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	select {
	case s.room <- struct{}{}:
		return nil
	default:
		s.leave()
		return ErrShed
	}
}

// forget gives the task's room back.
func (s *hold) forget(t *Task) {
	if s.retries != nil {
		t.tries = tries{}
	}
	if s.room != nil {
		<-s.room
	}
}

// keep has t wait for its turn.
func (s *hold) keep(t *Task) {
	s.mu.Lock()
	over := s.over
	if !over {
		s.push(t)
	}
	s.mu.Unlock()
	if over {
		s.end(t, Result{Err: s.giveUpOn(t)})
		return
	}
	s.signal()
}

func (s *hold) push(t *Task) {
	w := waiting{task: t, seq: s.pushed}
	s.pushed++
	switch {
	case s.codel != nil:
		w.came = time.Since(s.began)
		s.codel.push(w, w.came)
		return
	case len(s.delayed) > 0:
		s.bringDue(time.Since(s.began))
	}
	s.ready.pushBack(w)
}

func (s *hold) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Done is told by what is inside: t is done, or tried again.
func (s *hold) Done(t *Task, r Result) {
	if s.most > 0 {
		s.mu.Lock()
		s.within--
		s.mu.Unlock()
		s.signal()
	}
	if r.Retry && s.retries != nil {
		err := s.delay(t, r)
		if err == nil {
			return
		}
		r = Result{Err: err}
	}
	s.end(t, r)
}

// delay has t wait for its next attempt, if it is to have one.
func (s *hold) delay(t *Task, r Result) error {
	wait, err := s.retries.next(t, r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return s.endedBy()
	}
	due := prolong(time.Since(s.began), wait)
	s.delayed.push(waiting{task: t, came: due, key: float64(due), seq: t.tries.ordinal})
	s.mu.Unlock()
	s.signal()
	return nil
}

// end settles a task. Its room is free before that, so that a client which submits on Done finds
// room.
func (s *hold) end(t *Task, r Result) {
	s.forget(t)
	s.settle(t, r)
}

// handOn is the goroutine that hands tasks on.
func (s *hold) handOn() {
	timer := time.NewTimer(time.Hour) // never that long: it is set when there is a wait
	timer.Stop()
	defer timer.Stop()
	for {
		t, wait, late := s.next()
		for _, t := range late {
			s.end(t, Result{Err: ErrShed})
		}
		if t != nil {
			if err := s.inside[0].Submit(s.ctx, t); err != nil {
				s.refused(t, err)
			}
			continue
		}
		if wait > 0 {
			timer.Reset(wait)
		}
		select {
		case <-s.wake:
		case <-timer.C:
		case <-s.ctx.Done():
			return
		}
		timer.Stop()
	}
}

// next takes the task that is to be handed on now. If there is none it says how long to wait for
// one; 0: until there is another. late are to be shed.
func (s *hold) next() (t *Task, wait time.Duration, late []*Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Since(s.began)
	s.bringDue(now)
	soonest := func(at time.Duration) {
		if left := at - now; wait == 0 || left < wait {
			wait = left
		}
	}
	if s.most == 0 || s.within < s.most {
		w, at := s.pop(now)
		switch {
		case w.task != nil:
			s.within++
			t = w.task
		case at > now:
			soonest(at)
		}
	}
	if s.codel != nil {
		late = s.codel.takeLate(now)
		if at, ok := s.codel.overdueAt(); ok {
			soonest(at)
		}
	}
	if len(s.delayed) > 0 {
		soonest(s.delayed[0].came)
	}
	return t, wait, late
}

// pop takes the task that is next, or says when it may go.
func (s *hold) pop(now time.Duration) (w waiting, at time.Duration) {
	switch {
	case s.codel != nil:
		w, _ = s.codel.pop(now)
		return w, 0
	case s.ready.n == 0:
		return w, 0
	case s.pace != nil:
		if at = s.pace.at(now, s.began); at > now {
			return w, at
		}
		s.pace.spend(now)
	}
	return s.ready.popFront(), 0
}

// bringDue has tasks whose next attempt is due join those that are ready.
func (s *hold) bringDue(now time.Duration) {
	for len(s.delayed) > 0 && s.delayed[0].came <= now {
		s.ready.pushBack(s.delayed.pop())
	}
}

// refused settles a task that was accepted here and not inside.
func (s *hold) refused(t *Task, err error) {
	s.mu.Lock()
	s.within--
	s.mu.Unlock()
	s.end(t, Result{Err: s.refusal(t, err)})
}

// dropHeld settles all that waits here.
func (s *hold) dropHeld() {
	s.mu.Lock()
	s.over = true
	tasks := emptied(&s.ready, nil)
	if s.codel != nil {
		tasks = s.codel.empty()
	}
	for len(s.delayed) > 0 {
		tasks = append(tasks, s.delayed.pop().task)
	}
	s.mu.Unlock()
	for _, t := range tasks {
		s.end(t, Result{Err: s.giveUpOn(t)})
	}
}

// keepAll has nothing shed any more, here or inside.
func (s *hold) keepAll() {
	if s.codel != nil {
		s.mu.Lock()
		late := s.codel.keepAll()
		s.mu.Unlock()
		for _, t := range late {
			s.end(t, Result{Err: ErrShed})
		}
	}
	s.outside.keepAll()
}

// Drain implements Strategy.
func (s *hold) Drain(ctx context.Context) error {
	s.closeIntake()
	s.keepAll()
	return s.drain(ctx)
}
