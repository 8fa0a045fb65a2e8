package strategies

import (
	"context"
	"math"
	"sync"
)

// A dispatch is a FIFO queue and workers that are started on demand: the engine of dispatcher and
// dispatcher_shed.
//
// One mutex guards all of it. It is held for a few nanoseconds and never during a wait, a task or a
// Done. A Submit takes it once. A worker does so only now and then: the first page of the queue is
// shared (see pages), and a worker that ends a task takes the next of that page with one atomic
// operation, which at the same time gives back its slot, since it goes straight to a new owner.
// What has been claimed in that way is found out when it matters, from the page's counter: inside
// is brought up to date when it reaches most. While a Submit waits for room, and once the intake is
// closed, no page is shared: then each slot is given back under the mutex, by a worker that can
// see who waits for it.
//
// Of the workers with nothing to do one at a time is roused, by the Submit that finds a task for
// it, and then by the one that was roused, if it leaves tasks behind. So a burst wakes no more of
// them than it keeps busy, and this holds whenever the mutex is free: if a task waits and a worker
// may be roused or started for it, one is on its way.
//
// The lifecycle's count is not kept per task: until the intake closes it is 1, for the dispatch
// itself, and from then on it is exact (see seal).
type dispatch struct {
	lifecycle
	limit int
	sheds bool

	_     [64]byte // what follows changes with every task, and what precedes never
	mu    sync.Mutex
	queue pages
	// accepted tasks whose slot is not known to be given back; no longer kept once sealed
	inside  int
	most    int               // of them; when sealed, less than any number of them
	busy    int               // workers that are not parked
	waking  bool              // one of them was roused and has not looked for a task yet
	sealed  bool              // the intake is closed
	over    bool              // a worker with nothing to do goes
	parked  []*dispatchWorker // the last to park is the first to be roused: its stack is warm
	waiters line              // Submits that wait for room
	_       [64]byte
}

// start makes s ready; a dispatch that sheds says so before.
func (s *dispatch) start(ctx context.Context, p Params, sink Sink) *dispatch {
	s.limit, s.most = p.Limit, p.Limit+p.Queue
	s.queue.open()
	s.atClose, s.drop, s.atEnd = s.seal, s.abandonQueue, s.dismiss
	s.word.Add(1)
	s.open(ctx, sink, nil)
	return s
}

// Submit puts the task in the queue. When there is no room it waits or sheds.
func (s *dispatch) Submit(ctx context.Context, t *Task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.inside >= s.most && s.isFull() {
		return s.refuse(ctx, t)
	}
	s.inside++
	s.queue.push(t)
	if s.waking || s.busy == s.limit {
		s.mu.Unlock()
		return nil
	}
	w := s.rouse()
	s.mu.Unlock()
	w.signal()
	return nil
}

// isFull brings inside up to date. If there is no room then, a Submit is about to wait for it, so
// that claims must end.
func (s *dispatch) isFull() bool {
	s.inside -= s.queue.claims()
	if s.inside >= s.most && !s.sheds {
		s.inside -= s.queue.withdraw()
	}
	return s.inside >= s.most
}

// refuse is the rest of a Submit for which there is no room: it is called with the mutex held, and
// releases it.
func (s *dispatch) refuse(ctx context.Context, t *Task) error {
	switch {
	case s.sealed:
		s.mu.Unlock()
		return ErrClosed
	case s.sheds:
		s.mu.Unlock()
		return ErrShed
	}
	b := s.waiters.join(t)
	s.mu.Unlock()
	err := s.untilLet(ctx, b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiters.leave(b, err == nil) { // maybe room came first
		return nil
	}
	return err
}

// rouse counts a worker as busy that was parked, and returns it to be signalled when the mutex is
// released; or it starts a new one and returns nil.
func (s *dispatch) rouse() *dispatchWorker {
	s.busy++
	s.waking = true
	if n := len(s.parked); n > 0 {
		w := s.parked[n-1]
		s.parked = s.parked[:n-1]
		w.roused = true
		return w
	}
	s.alive.Add(1)
	w := &dispatchWorker{dispatch: s, wake: make(chan struct{}, 1), roused: true}
	go w.work(nil)
	return nil
}

// seal is what the closing of the intake means here: nothing is accepted any more, and the
// lifecycle counts what is inside. From now on whoever ends a task counts it out there.
func (s *dispatch) seal() {
	s.mu.Lock()
	if s.sealed {
		s.mu.Unlock()
		return
	}
	s.sealed = true
	s.inside -= s.queue.withdraw()
	s.word.Add(int64(s.inside))
	s.most = math.MinInt
	s.mu.Unlock()
	s.leave() // for the dispatch itself
}

// abandonQueue settles what waits in the queue without running it. It may come before seal has been
// called for the closing that it belongs to, by another goroutine.
func (s *dispatch) abandonQueue() {
	s.seal()
	for {
		s.mu.Lock()
		t := s.queue.pop()
		s.mu.Unlock()
		if t == nil {
			return
		}
		s.settle(t, Result{Err: s.giveUp()})
	}
}

// dismiss ends the workers: nothing will come any more.
func (s *dispatch) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for _, w := range s.parked {
		w.signal()
	}
	s.parked = nil
}
