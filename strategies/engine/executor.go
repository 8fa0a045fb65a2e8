package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// An Executor is somebody else's pool of goroutines as a strategy needs to know it, and Start makes
// that strategy. It is how the pools of other libraries become comparable (package peers has
// a dozen), and how yours does:
//
//	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
//		pool := mine.NewPool(p.Limit)
//		return Executor{Go: pool.Submit, Slots: p.Limit, Close: pool.Close}.Start(ctx, sink)
//	}
//
// The contract is kept here: the contexts, the closing, the panics, the tasks that are given up
// while they lie in the pool's queue (it finds nothing to do in them, later). To the pool a task is
// a func that does not panic. It costs no allocation for a prebuilt task, and some 50 ns, most of
// them for the accounts that every strategy keeps; Slots cost 30 to 60 ns more.
type Executor struct {
	// Go hands run to the pool, which calls it once. It may block for a moment, but not until
	// another task is done, because nobody could call it off: that is what Slots are for. An error
	// refuses the task, and is Submit's; then run is never called.
	Go func(run func()) error
	// Call is there instead of Go where the pool's call returns when run has. Submit starts a
	// goroutine for it.
	Call func(run func())
	// Slots is how many tasks the pool runs at once. Submit waits for one of so many slots before
	// it calls Go, can be called off meanwhile, and so never finds the pool full. Zero is for a
	// pool with a queue of its own that is never full.
	Slots int
	// Lost is called when a task has ended its goroutine (Goexit), in that goroutine, if the pool
	// has to be told; nil: it notices.
	Lost func()
	// Close is called once, after the last task is done and no more are accepted, and returns when
	// the pool has ended; nil: a pool that is idle needs no end. Drain waits for it.
	Close func()
}

// executor is a running Executor.
type executor struct {
	adapter
	pool Executor
	// goroutines inside Go or Call: the last task may be done, and the pool not to be closed yet
	callers sync.WaitGroup
}

// Start makes the strategy. It panics unless exactly one of Go and Call is there, and on negative
// Slots.
func (x Executor) Start(ctx context.Context, sink strategies.Sink) strategies.Strategy {
	if (x.Go == nil) == (x.Call == nil) {
		panic("strategies: an Executor needs one of Go and Call")
	}
	if x.Slots < 0 {
		panic("strategies: an Executor has negative Slots")
	}
	s := &executor{pool: x}
	if x.Slots > 0 {
		s.slots = make(chan struct{}, x.Slots)
	}
	s.lost, s.Drop = x.Lost, s.dropQueued
	if x.Close != nil || x.Call != nil {
		s.AtEnd = func() { s.Alive.Go(s.end) }
	}
	s.Open(ctx, sink, nil)
	return s
}

// end waits for the pool's end, once the instance is idle.
func (s *executor) end() {
	s.callers.Wait()
	if s.pool.Close != nil {
		s.pool.Close()
	}
}

// Submit implements Strategy.
func (s *executor) Submit(ctx context.Context, t *strategies.Task) error {
	var err error
	if s.slots != nil {
		err = s.Acquire(ctx, s.slots)
	} else {
		err = s.Enter(ctx)
	}
	if err != nil {
		return err
	}
	e := s.handle(t)
	e.waits.Store(true)
	if err = s.hand(e); err != nil && e.waits.CompareAndSwap(true, false) {
		if s.slots != nil {
			<-s.slots
		}
		s.Leave()
		return err
	}
	if s.Ctx.Err() != nil {
		s.dropOne(e)
	}
	return nil
}

// hand gives the task of e to the pool.
func (s *executor) hand(e *handle) error {
	switch {
	case s.pool.Call != nil:
		if e.call == nil {
			e.call = func() { defer s.callers.Done(); s.pool.Call(e.run) }
		}
		s.callers.Add(1)
		go e.call()
		return nil
	case s.pool.Close != nil:
		s.callers.Add(1)
		defer s.callers.Done()
	}
	return s.pool.Go(e.run)
}
