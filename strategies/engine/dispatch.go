package engine

import (
	"context"
	"math"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A Dispatch is a FIFO queue and workers that are started on demand: the engine of dispatcher and
// dispatcher_shed.
//
// One mutex guards all state. It is held for a few nanoseconds and never during a wait, a task or a
// Done. A Submit takes it once, a worker only now and then: the first page of the queue is shared
// (see pages), and a worker that ends a task takes the next of that page with one atomic operation,
// which at the same time gives back its slot, since it goes straight to a new owner. The page's
// counter tells how many tasks were claimed in that way; inside is updated from it only when it
// reaches most. While a Submit waits for room, and once the intake is closed, no page is shared:
// then each slot is given back under the mutex, by a worker that can see who waits for it.
//
// Idle workers are woken one at a time: by the Submit that finds a task for one, then by the woken
// worker, if it leaves tasks behind. So a burst wakes no more workers than it keeps busy. Invariant
// whenever the mutex is free: if a task waits and a worker may be woken or started for it, one is
// on its way.
//
// The lifecycle's count is not kept per task: until the intake closes it is 1, for the dispatch
// itself, and from then on it is exact (see seal).
type Dispatch struct {
	Lifecycle
	limit int
	Sheds bool

	_     [64]byte // the fields below change with every task, those above never
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

// Start makes s ready; set Sheds before.
func (s *Dispatch) Start(ctx context.Context, p strategies.Params, sink strategies.Sink) *Dispatch {
	s.limit, s.most = p.Limit, p.Limit+p.Queue
	s.queue.Open()
	s.atClose, s.Drop, s.AtEnd = s.seal, s.abandonQueue, s.dismiss
	s.word.Add(1)
	s.Open(ctx, sink, nil)
	return s
}

// Submit puts the task in the queue. When that is full, it blocks or sheds.
func (s *Dispatch) Submit(ctx context.Context, t *strategies.Task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.inside >= s.most && s.isFull() {
		return s.refuse(ctx, t)
	}
	s.inside++
	s.queue.Push(t)
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
func (s *Dispatch) isFull() bool {
	s.inside -= s.queue.claims()
	if s.inside >= s.most && !s.Sheds {
		s.inside -= s.queue.withdraw()
	}
	return s.inside >= s.most
}

// refuse is the rest of a Submit for which there is no room: it is called with the mutex held, and
// releases it.
func (s *Dispatch) refuse(ctx context.Context, t *strategies.Task) error {
	switch {
	case s.sealed:
		s.mu.Unlock()
		return strategies.ErrClosed
	case s.Sheds:
		s.mu.Unlock()
		return strategies.ErrShed
	}
	b := s.waiters.join(t)
	s.mu.Unlock()
	err := s.untilLet(ctx, b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiters.Leave(b, err == nil) { // maybe room came first
		return nil
	}
	return err
}

// rouse counts a worker as busy that was parked, and returns it to be signalled when the mutex is
// released; or it starts a new one and returns nil.
func (s *Dispatch) rouse() *dispatchWorker {
	s.busy++
	s.waking = true
	if n := len(s.parked); n > 0 {
		w := s.parked[n-1]
		s.parked = s.parked[:n-1]
		w.roused = true
		return w
	}
	s.Alive.Add(1)
	w := &dispatchWorker{Dispatch: s, wake: make(chan struct{}, 1), roused: true}
	go w.work(nil)
	return nil
}

// seal is what the closing of the intake means here: nothing is accepted any more, and the
// lifecycle counts what is inside. From now on whoever ends a task counts it out there.
func (s *Dispatch) seal() {
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
	s.Leave() // for the dispatch itself
}

// abandonQueue settles what waits in the queue without running it. It may come before seal has been
// called for the closing that it belongs to, by another goroutine.
func (s *Dispatch) abandonQueue() {
	s.seal()
	for {
		s.mu.Lock()
		t := s.queue.Pop()
		s.mu.Unlock()
		if t == nil {
			return
		}
		s.Settle(t, strategies.Result{Err: s.GiveUp()})
	}
}

// dismiss ends the workers: nothing will come any more.
func (s *Dispatch) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for _, w := range s.parked {
		w.signal()
	}
	s.parked = nil
}
