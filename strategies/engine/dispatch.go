package engine

import (
	"context"
	"math"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A Dispatch is a FIFO queue with workers started on demand: the engine of dispatcher and
// dispatcher_shed.
//
// One mutex guards all state and is held for nanoseconds. A Submit locks it once, a worker rarely:
// the first page of the queue is shared (see pages), and a worker takes its next task from that
// page with one atomic operation, which also transfers its slot. The page counts these claims.
// inside is updated from the count only when it reaches most. While a Submit waits for room, and
// after the intake closes, no page is shared, so each slot is released under the mutex.
//
// Idle workers are woken one at a time, by a Submit or by a woken worker that leaves tasks behind,
// so a burst wakes only workers that it keeps busy. Invariant while the mutex is free: if a task
// waits and a worker may be woken or started, one is on its way.
//
// The lifecycle's count is 1 until the intake closes, and exact from then on (see seal).
type Dispatch struct {
	Lifecycle
	limit int
	Sheds bool

	_     [64]byte // the fields below change with every task, those above never
	mu    sync.Mutex
	queue pages
	// upper bound of accepted tasks that hold a slot. Not updated once sealed
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

// Start makes s ready. Set Sheds before.
func (s *Dispatch) Start(ctx context.Context, p strategies.Params, sink strategies.Sink) *Dispatch {
	s.limit, s.most = p.Limit, p.Limit+p.Queue
	s.queue.Open()
	s.atClose, s.Drop, s.AtEnd = s.seal, s.abandonQueue, s.dismiss
	s.word.Add(1)
	s.Open(ctx, sink, nil)
	return s
}

// Submit queues the task, and blocks or sheds when the queue is full.
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

// isFull updates inside. If it is still full it ends claims, because a Submit will wait.
func (s *Dispatch) isFull() bool {
	s.inside -= s.queue.claims()
	if s.inside >= s.most && !s.Sheds {
		s.inside -= s.queue.withdraw()
	}
	return s.inside >= s.most
}

// refuse completes a Submit without room. It is called with the mutex held and releases it.
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

// rouse marks a parked worker as busy and returns it, to be signalled after the mutex is released,
// or starts a new worker and returns nil.
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

// seal closes the intake and moves the count of tasks inside to the lifecycle, where ended tasks
// are counted out from now on.
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

// abandonQueue settles queued tasks without running them. It may run before seal, called by another
// goroutine.
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
	s.over = true
	for _, w := range s.parked {
		w.signal()
	}
	s.parked = nil
}
