package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// An Executor adapts a pool of goroutines, and Start makes a strategy of it. Package peers adapts a
// dozen libraries so; yours is adapted like this:
//
//	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
//		pool := mine.NewPool(p.Limit)
//		return Executor{Go: pool.Submit, Slots: p.Limit, Close: pool.Close}.Start(ctx, sink)
//	}
//
// The Executor keeps the contract: contexts, closing, panics, and tasks that are given up while
// they wait in the pool's queue (the pool later runs them as empty funcs). For the pool a task is a
// func that does not panic. It costs some 50 ns and no allocation for a prebuilt task, mostly for
// the bookkeeping of every strategy; Slots cost 30 to 60 ns more.
type Executor struct {
	// Go hands run to the pool, which calls it once. It must not block until another task is done,
	// because that wait could not be cancelled: use Slots instead. Submit returns its error and
	// refuses the task; then run is never called.
	Go func(run func()) error
	// Call replaces Go for a pool whose call returns when run does. Submit starts a goroutine for
	// it.
	Call func(run func())
	// Slots is the number of tasks that the pool runs at once. Submit waits for one of these slots
	// before it calls Go, so that the wait can be cancelled and the pool is never full. 0: the pool
	// has a queue of its own that is never full.
	Slots int
	// Lost tells the pool that a task has ended its goroutine (Goexit); it is called in that
	// goroutine. Nil: the pool notices by itself.
	Lost func()
	// Close ends the pool and returns when it has ended. It is called once, after the last task is
	// done and no more are accepted, and Drain waits for it. Nil: an idle pool needs no end.
	Close func()
}

// executor is a running Executor.
type executor struct {
	adapter
	pool Executor
	// goroutines inside Go or Call: the last task may be done, and the pool not to be closed yet
	callers sync.WaitGroup
}

// Start makes the strategy. It panics unless exactly one of Go and Call is set, and on negative
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
