package builtin

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// priority starts the task with the largest Priority first. Tasks of lower priority wait according
// to the load of all higher ones (Cobham), and may starve. With age, a task gains one priority for
// each age of waiting. The sort key is the time of acceptance minus age times priority, which does
// not change while a task waits.
type priority struct {
	engine.Backlog
	engine.Plain
	age   time.Duration
	queue engine.Heap
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "priority",
	Summary: "the task with the largest Priority first, strictly or with ageing",
	UseIf:   "some tasks are more important than others, and are a small part of the load",
	Source:  "head-of-the-line priority (Cobham, 1954); ageing as in schedulers",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Priorities},
	OnPanic: "contained; the worker is replaced",
	Keys: []param.Key{
		{Name: "age", Kind: param.Duration, Default: "0s",
			Doc: "waiting time that raises the priority of a task by one; 0: strict priorities"},
	},

	WorkConserving: true,
	ByPriority:     func(p strategies.Params) bool { return p.Values.Duration("age") == 0 },

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &priority{age: p.Values.Duration("age")}
		s.Open(ctx, sink, s, p.Limit, p.Limit+p.Queue, false)
		return s
	},
}))

func (s *priority) Push(w engine.Waiting, now time.Duration) {
	w.Key = -int64(w.Task.Priority)
	if s.age > 0 {
		w.Key = engine.Key(float64(now) + float64(w.Key)*float64(s.age))
	}
	s.queue.Push(w)
}

func (s *priority) Pop(time.Duration) (engine.Waiting, bool) { return s.queue.First() }

func (s *priority) Empty() []*strategies.Task { return s.queue.Empty(nil) }
