package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// shortestFirst starts the task with the smallest Size first and limits the long tasks that run at
// once. If the work of the long tasks exceeds this cap, their queue grows without limit despite
// idle slots.
//
// No task waits forever. The sort key is the time of acceptance plus stretch times size, so only
// tasks that arrive within stretch times the difference of sizes can overtake. A stretch of 0 is
// first come, first served, a very large one shortest first.
//
// By default a task is long above twice the mean size, so equal tasks never are. A task of unknown
// size has the key of a task at the threshold and is not long.
type shortestFirst struct {
	engine.Backlog
	engine.Plain
	cutoff      time.Duration // a task of larger size is long
	learns      bool          // the cutoff is derived from the sizes so far
	sum         time.Duration // of the sizes so far
	sized       int           // tasks with a known size
	stretch     float64
	longCap     int // maximum of long tasks in flight
	short, long engine.Heap
	running     int // long tasks in flight
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "shortest_first",
	Summary: "the task with the smallest Size first, with a limit on long tasks and on overtaking",
	UseIf:   "task times differ widely and are known in advance, and most tasks are short",
	Source:  "shortest job first; a cap on long tasks as for the blocking calls of an event loop",
	OnPanic: "contained; the worker is replaced",
	Keys: []param.Key{
		{Name: "long", Kind: param.Duration, Default: "0s",
			Doc: "size above which a task is long; 0: twice the mean size of the tasks so far"},
		{Name: "longcap", Kind: param.Int, Default: "0",
			Doc: "largest number of long tasks at once; 0: all slots except one"},
		{Name: "stretch", Kind: param.Float, Default: "100",
			Doc: "work that may overtake a task, as a multiple of its size"},
	},

	UsesSize: true,

	Check: func(p strategies.Params) error {
		if n := p.Values.Int("longcap"); n < 0 || n > p.Limit {
			return fmt.Errorf("longcap must be at least 0 and at most the limit %d", p.Limit)
		}
		if p.Values.Float("stretch") < 0 {
			return errors.New("stretch must not be negative")
		}
		return nil
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &shortestFirst{cutoff: p.Values.Duration("long"), stretch: p.Values.Float("stretch"),
			longCap: cmp.Or(p.Values.Int("longcap"), max(1, p.Limit-1))}
		s.learns = s.cutoff == 0
		s.Open(ctx, sink, s, p.Limit, p.Limit+p.Queue, false)
		return s
	},
}))

func (s *shortestFirst) Push(w engine.Waiting, now time.Duration) {
	size := w.Task.Size
	if s.learns && size > 0 {
		s.sum, s.sized = s.sum+size, s.sized+1
		s.cutoff = 2 * s.sum / time.Duration(s.sized)
	}
	if size <= 0 {
		size = s.cutoff
	}
	w.Key = engine.Key(float64(now) + s.stretch*float64(size))
	if w.Long = size > s.cutoff; w.Long {
		s.long.Push(w)
	} else {
		s.short.Push(w)
	}
}

func (s *shortestFirst) Pop(time.Duration) (engine.Waiting, bool) {
	mayLong := len(s.long) > 0 && s.running < s.longCap
	switch {
	case mayLong && (len(s.short) == 0 || s.long[0].Before(&s.short[0])):
		s.running++
		return s.long.Pop(), true
	case len(s.short) > 0:
		return s.short.Pop(), true
	}
	return engine.Waiting{}, false
}

func (s *shortestFirst) Ended(w engine.Waiting, _ engine.TaskEnd) {
	if w.Long {
		s.running--
	}
}

func (s *shortestFirst) Empty() []*strategies.Task { return s.long.Empty(s.short.Empty(nil)) }
