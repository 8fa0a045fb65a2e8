package engine

import (
	"context"
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// An Executor adapts a goroutine pool of a library:
//
//	pool := mine.NewPool(p.Limit)
//	return Executor{Go: pool.Submit, Slots: p.Limit, Close: pool.Close}.Start(ctx, sink)
//
// It handles contexts, shutdown and panics. If a task is given up in the pool's queue, the pool
// later runs an empty func. The cost is about 50 ns, and 30 to 60 ns more with Slots.
type Executor struct {
	// Go passes run to the pool, which calls it once unless Go returns an error. Go must not wait
	// for other tasks, because that wait cannot be cancelled: use Slots instead.
	Go func(run func()) error
	// Call replaces Go for a pool whose submit function returns after run.
	Call func(run func())
	// Slots is the number of tasks that the pool runs at once. Submit waits for a slot before Go,
	// so the pool is never full. 0 means that the pool has an unbounded queue.
	Slots int
	// Lost tells the pool that a task has ended the current goroutine by Goexit. It may be nil.
	Lost func()
	// Close ends the pool and waits for its end. It is called once, after the last task. It may be
	// nil.
	Close func()
}

type executor struct {
	adapter
	pool Executor
	// goroutines in Go or Call, which may return after the last task but must return before Close
	callers sync.WaitGroup
}

// Start returns the strategy. It panics unless exactly one of Go and Call is set, and if Slots is
// negative.
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

func (s *executor) end() {
	s.callers.Wait()
	if s.pool.Close != nil {
		s.pool.Close()
	}
}

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
	e.pending.Store(true)
	if err = s.submitToPool(e); err != nil && e.pending.CompareAndSwap(true, false) {
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

func (s *executor) submitToPool(e *handle) error {
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
