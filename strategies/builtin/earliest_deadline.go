package builtin

import (
	"context"
	"math"
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// earliestDeadline starts the task with the earliest Deadline first. For a batch on one slot it
// minimises the maximum lateness (Jackson, 1955). It does not check whether a deadline can still be
// met, so under overload soon all tasks are late. Wrap it in a part that sheds.
type earliestDeadline struct {
	engine.Backlog
	engine.Plain
	queue engine.Heap
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "earliest_deadline",
	Summary: "the task with the earliest Deadline first, tasks without a deadline last",
	UseIf:   "tasks are worthless when late, and the load is below the capacity",
	Source:  "earliest due date (Jackson, 1955); EDF (Liu and Layland, 1973)",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Deadlines},
	OnPanic: "contained; the worker is replaced",

	WorkConserving: true,
	ByDeadline:     true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := new(earliestDeadline)
		s.Open(ctx, sink, s, p.Limit, p.Limit+p.Queue, false)
		return s
	},
}))

func (s *earliestDeadline) Push(w engine.Waiting, _ time.Duration) {
	if w.Key = int64(w.Task.Deadline); w.Key == 0 {
		w.Key = math.MaxInt64
	}
	s.queue.Push(w)
}

func (s *earliestDeadline) Pop(time.Duration) (engine.Waiting, bool) { return s.queue.First() }

func (s *earliestDeadline) Empty() []*strategies.Task { return s.queue.Empty(nil) }
