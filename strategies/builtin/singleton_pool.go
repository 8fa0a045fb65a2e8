package builtin

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// singletonPool is a worker_pool with one instance: all creators within a process share workers and
// queue, so a second creator cannot double the load on a target. Limit, Queue and context are the
// first creator's. Later values are silently ignored. Drain closes the pool for all creators.
//
// The usual package variable with sync.Once can be neither closed nor tested twice. Here the
// variable is in a context, because one process has many runs, some in synctest bubbles, which must
// not share a limit or channels. Without [WithSingletons] each New acts as a process of its own.
type singletonPool struct {
	*engine.Workers
	sink strategies.Sink // sink of the creator
}

var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "singleton_pool",
	Summary: "one worker pool for all callers in a process",
	UseIf:   "several parts of a program must share one limit",
	Source:  "the stock scraper: a generic worker pool behind sync.Once",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the worker is replaced",

	Keys: []param.Key{{Name: "creators", Kind: param.Int, Default: "1",
		Doc: "number of parts of the program that create the pool and submit tasks in rotation: " +
			"all get the same pool"}},
	Check: func(p strategies.Params) error {
		return p.Values.CheckRange("creators", 1, maxCreators)
	},

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		n := p.Values.Int("creators")
		if n == 1 {
			return newSingleton(ctx, p, sink)
		}
		if ctx.Value(singletons{}) == nil {
			ctx = WithSingletons(ctx)
		}
		c := &creators{pools: make([]*singletonPool, n)}
		for i := range c.pools {
			c.pools[i] = newSingleton(ctx, p, sink)
		}
		return c
	},
}))

const maxCreators = 1024

func newSingleton(ctx context.Context, p strategies.Params, sink strategies.Sink) *singletonPool {
	create := func() *engine.Workers {
		return new(engine.Workers).Start(ctx, ownerSink{}, p.Limit, p.Queue)
	}
	if only, ok := ctx.Value(singletons{}).(*singleton[*engine.Workers]); ok {
		return &singletonPool{only.get(create), sink}
	}
	return &singletonPool{create(), sink}
}

type creators struct {
	pools []*singletonPool
	next  atomic.Uint64
}

func (c *creators) Submit(ctx context.Context, t *strategies.Task) error {
	turn := (c.next.Add(1) - 1) % uint64(len(c.pools))
	return c.pools[turn].Submit(ctx, t)
}

func (c *creators) Drain(ctx context.Context) error { return c.pools[0].Drain(ctx) }

// WithSingletons returns a context that represents a process. Each New of singleton_pool with it or
// a derived context returns the same open pool, or a new one after that pool has closed.
func WithSingletons(ctx context.Context) context.Context {
	return context.WithValue(ctx, singletons{}, new(singleton[*engine.Workers]))
}

type singletons struct{}

func (s *singletonPool) Submit(ctx context.Context, t *strategies.Task) error {
	t.Scratch().Owner = s.sink
	err := s.Workers.Submit(ctx, t)
	if err != nil {
		t.Scratch().Owner = nil
	}
	return err
}

type ownerSink struct{}

func (ownerSink) Done(t *strategies.Task, r strategies.Result) {
	sink := t.Scratch().Owner
	t.Scratch().Owner = nil
	sink.Done(t, r)
}

// A singleton is one shared T while open, like a sync.Once that can restart.
type singleton[T interface{ IsOpen() bool }] struct {
	mu     sync.Mutex
	exists bool
	value  T
}

func (s *singleton[T]) get(create func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.exists || !s.value.IsOpen() {
		s.value, s.exists = create(), true
	}
	return s.value
}
