package builtin

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// singletonPool is worker_pool of which there is one: all who create it within a process get the
// same workers and the same queue, so that no second caller can double the load on something that
// allows only so much.
//
// The pattern's pool is generic in the type of its jobs, and each type of job has a singleton of
// its own. Here every job is a *Task, so what is generic is the singleton.
//
// Use it to keep one limit towards one target where several parts of a program each create "their"
// pool. It costs what worker_pool costs and an indirection at Done. In exchange it has the hazards
// of a global, which are those of the pattern:
//
//   - Limit, Queue and context are the first creator's. Those of all others are ignored without a
//     word: who asks second for a limit of 2 runs at the first one's 100.
//   - Drain is for all: it closes the pool under everybody who has it, and counts everybody's
//     tasks. Who creates the pool afterwards gets a new one, and who is late by an instant gets
//     ErrClosed from Submit.
//
// The sink is each creator's own: a task is reported to whom it was submitted through. (The pattern
// has no results, so it has no answer to this; the first creator's sink would be told of tasks that
// it has never seen.)
//
// The pattern is a package variable and a sync.Once, which can be neither closed nor tested twice.
// Here the variable is in a context, because one process holds many runs, some at once and some in
// synctest bubbles, and these must neither share a limit nor touch each other's channels.
// [WithSingletons] makes such a context; without it, every New is a process of its own, in which
// the parameter creators says how many create the pool. So nothing is left in any global when a run
// is over.
type singletonPool struct {
	*engine.Workers
	sink strategies.Sink // the creator's
}

var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "singleton_pool",
	Summary: "one worker pool for all who create it in a process",
	UseIf:   "several parts of a program must keep one limit together",
	Source:  "the stock scraper: a generic worker pool behind sync.Once",
	OnPanic: "contained; the worker is replaced",

	Keys: []param.Key{{Name: "creators", Kind: param.Int, Default: "1",
		Doc: "parts of the program that create the pool and submit in turn: all get the one pool"}},
	Check: func(p strategies.Params) error {
		return p.Values.Within("creators", 1, maxCreators)
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
		return new(engine.Workers).Start(ctx, toOwner{}, p.Limit, p.Queue)
	}
	if only, ok := ctx.Value(singletons{}).(*singleton[*engine.Workers]); ok {
		return &singletonPool{only.get(create), sink}
	}
	return &singletonPool{create(), sink}
}

// creators are the parts of a program that each have created the pool.
type creators struct {
	pools []*singletonPool
	next  atomic.Uint64
}

// Submit is that of the creator whose turn it is.
func (c *creators) Submit(ctx context.Context, t *strategies.Task) error {
	turn := (c.next.Add(1) - 1) % uint64(len(c.pools))
	return c.pools[turn].Submit(ctx, t)
}

// Drain is for all: they have one pool.
func (c *creators) Drain(ctx context.Context) error { return c.pools[0].Drain(ctx) }

// WithSingletons returns a context that stands for a process: each New of singleton_pool with it,
// or with one derived from it, returns the same pool as long as that is open, and the first after
// that makes the next one.
func WithSingletons(ctx context.Context) context.Context {
	return context.WithValue(ctx, singletons{}, new(singleton[*engine.Workers]))
}

// singletons is the key of a context's singleton.
type singletons struct{}

// Submit blocks until the channel, or a worker itself, takes the task.
func (s *singletonPool) Submit(ctx context.Context, t *strategies.Task) error {
	t.Kept().Owner = s.sink
	err := s.Workers.Submit(ctx, t)
	if err != nil {
		t.Kept().Owner = nil
	}
	return err
}

// toOwner reports each task to the creator that it was submitted through.
type toOwner struct{}

func (toOwner) Done(t *strategies.Task, r strategies.Result) {
	sink := t.Kept().Owner
	t.Kept().Owner = nil
	sink.Done(t, r)
}

// A singleton is one T for all who ask, as long as it is open: a sync.Once that starts again.
type singleton[T interface{ IsOpen() bool }] struct {
	mu sync.Mutex
	is bool
	it T
}

// get returns the one, which is created first if there is none or it has closed. Meanwhile others
// wait, as for a sync.Once.
func (s *singleton[T]) get(create func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.is || !s.it.IsOpen() {
		s.it, s.is = create(), true
	}
	return s.it
}
