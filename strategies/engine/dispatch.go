package engine

import (
	"context"
	"math"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A Dispatch is a FIFO queue with workers started on demand.
//
// One mutex guards all state. The first page of the queue is shared (see pages): a worker claims
// its next task from that page with one atomic operation, which also transfers its slot. inside
// ignores these claims until it reaches most. While a Submit waits for room, and after the intake
// closes, no page is shared, so each slot is released under the mutex.
//
// Idle workers are woken one at a time, so a burst wakes only workers that it keeps busy. Invariant
// while the mutex is free: if a task is waiting and a worker may be woken or started, one is about
// to run.
//
// The count of the Lifecycle is 1 until the intake closes, and exact from then on (see seal).
type Dispatch struct {
	Lifecycle
	limit int
	Sheds bool

	_     [64]byte // separates the fields below, which change with every task, from those above
	mu    sync.Mutex
	queue pages
	// upper bound of the accepted tasks that are not done; not updated once sealed
	inside    int
	most      int               // maximum of inside; after seal, below any value of it
	busy      int               // workers that are not parked
	waking    bool              // whether a woken worker has not looked for a task yet
	sealed    bool              // whether the intake is closed
	dismissed bool              // whether workers without a task must end
	parked    []*dispatchWorker // LIFO, because the stack of the last one is still cached
	waiters   line              // Submits that wait for room
	_         [64]byte
}

// Start opens s. Set Sheds before the call.
func (s *Dispatch) Start(ctx context.Context, p strategies.Params, sink strategies.Sink) *Dispatch {
	s.limit, s.most = p.Limit, p.Limit+p.Queue
	s.queue.Open()
	s.atClose, s.Drop, s.AtEnd = s.seal, s.abandonQueue, s.dismiss
	s.word.Add(1)
	s.Open(ctx, sink, nil)
	return s
}

// Submit blocks or sheds when the queue is full.
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
	w := s.wakeWorker()
	s.mu.Unlock()
	w.signal()
	return nil
}

// isFull updates inside. If a Submit will wait, it ends the sharing of pages.
func (s *Dispatch) isFull() bool {
	s.inside -= s.queue.claims()
	if s.inside >= s.most && !s.Sheds {
		s.inside -= s.queue.withdraw()
	}
	return s.inside >= s.most
}

// The caller holds the mutex, and refuse releases it.
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
	if s.waiters.Leave(b, err == nil) { // room may have come before the end of ctx
		return nil
	}
	return err
}

// wakeWorker returns a parked worker, which the caller must signal after it releases the mutex, or
// starts one and returns nil.
func (s *Dispatch) wakeWorker() *dispatchWorker {
	s.busy++
	s.waking = true
	if n := len(s.parked); n > 0 {
		w := s.parked[n-1]
		s.parked = s.parked[:n-1]
		w.woken = true
		return w
	}
	s.Alive.Add(1)
	w := &dispatchWorker{Dispatch: s, wake: make(chan struct{}, 1), woken: true}
	go w.work(nil)
	return nil
}

// seal closes the intake and moves the count of tasks to the Lifecycle.
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
	s.Leave() // for the 1 that Start added
}

// abandonQueue settles queued tasks. It seals s itself because another goroutine may be about to.
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

func (s *Dispatch) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dismissed = true
	for _, w := range s.parked {
		w.signal()
	}
	s.parked = nil
}
