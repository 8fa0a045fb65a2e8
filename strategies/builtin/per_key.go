package builtin

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// perKey runs at most one task of a key (Task.Tenant) at a time, in the order of acceptance, within
// a limit on all tasks. A mutex per key inside the task would hold a slot while it waits, and would
// not keep the order. A task that waits for its key is accepted and uses room: when tasks of one
// key fill the queue, Submit blocks for all keys.
type perKey struct {
	engine.Backlog
	ready engine.FIFO // tasks that wait only for a slot
	// keys with a ready or running task; each queue has the key's other tasks
	keys   map[int32]*engine.FIFO
	unused []*engine.FIFO
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "per_key",
	Summary: "at most one task of each key (Tenant) at a time, in order; and a limit on all tasks",
	UseIf:   "tasks of one key must keep their order and must not overlap",
	Source:  "ordered queues by key, such as Kafka's partitions and SQS's message groups",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Tenants},
	OnPanic: "contained; the worker is replaced, and the next task of the key starts",

	KeyOrder: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &perKey{keys: make(map[int32]*engine.FIFO)}
		s.Open(ctx, sink, s, p.Limit, p.Limit+p.Queue, false)
		return s
	},
}))

func (s *perKey) Push(w engine.Waiting, now time.Duration) {
	key := w.Task.Tenant
	if key < 0 {
		s.ready.Push(w, now)
		return
	}
	if waiting := s.keys[key]; waiting != nil {
		waiting.Push(w, now)
		return
	}
	if n := len(s.unused); n > 0 {
		s.keys[key], s.unused = s.unused[n-1], s.unused[:n-1]
	} else {
		s.keys[key] = new(engine.FIFO)
	}
	s.ready.Push(w, now)
}

func (s *perKey) Pop(now time.Duration) (engine.Waiting, bool) { return s.ready.Pop(now) }

func (s *perKey) Ended(w engine.Waiting, e engine.TaskEnd) {
	if w.Task.Tenant >= 0 {
		s.next(w.Task.Tenant, e.Ended)
	}
}

func (s *perKey) next(key int32, now time.Duration) {
	waiting := s.keys[key]
	if w, ok := waiting.Pop(now); ok {
		s.ready.Push(w, now)
		return
	}
	delete(s.keys, key)
	s.unused = append(s.unused, waiting)
}

func (s *perKey) Wake(time.Duration) []*strategies.Task { return nil }

// Empty keeps the keys of running tasks until they end.
func (s *perKey) Empty() []*strategies.Task {
	var tasks []*strategies.Task
	for _, waiting := range s.keys {
		tasks = append(tasks, waiting.Empty()...)
	}
	for _, task := range s.ready.Empty() {
		tasks = append(tasks, task)
		if task.Tenant >= 0 {
			s.next(task.Tenant, 0)
		}
	}
	return tasks
}
