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

// codelLIFO is a bounded queue. A task may wait for up to the interval. When the queue has not been
// empty for the interval, it is overloaded: the newest task goes first, and new tasks may wait only
// for the much shorter target. A task that exceeds its maximum wait is done with ErrShed.
//
// As in the original, a task's timeout is chosen at acceptance. After Drain no task is shed,
// because no newer ones arrive.
type codelLIFO struct {
	engine.Backlog
	engine.CodelQueue
}

var codelLIFOSpec = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name: "codel_lifo",
	Summary: "a bounded queue; under overload, the newest task runs first, and tasks that waited " +
		"too long are shed",
	UseIf:   "a late response is worthless, and overloads happen",
	Source:  "adaptive LIFO and CoDel: Maurer, Fail at Scale, ACM Queue 13(8), 2015",
	OnPanic: "contained; the worker is replaced",
	Keys: []param.Key{
		{Name: "target", Kind: param.Duration, Default: "5ms",
			Doc: "longest wait of a task that arrives under overload"},
		{Name: "interval", Kind: param.Duration, Default: "100ms",
			Doc: "longest wait of any other task; if the queue was not empty for this time, " +
				"there is an overload"},
	},

	// a full queue sheds at once, and an overdue task is shed after acceptance
	Sheds:          true,
	WorkConserving: true,

	Check: func(p strategies.Params) error {
		target, interval := p.Values.Duration("target"), p.Values.Duration("interval")
		if target <= 0 || target > interval {
			return errors.New("target must be above 0 and at most the interval")
		}
		return nil
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &codelLIFO{CodelQueue: engine.NewCodelQueue(p.Values)}
		s.Open(ctx, sink, s, p.Limit, p.Limit+p.Queue, true)
		return s
	},
}))

var _ = strategies.RegisterPart(strategies.Part{
	Name: codelLIFOSpec.Name,
	Summary: "a bounded queue before the inner strategy; under overload, the newest task runs " +
		"first, and tasks that waited too long are shed",
	Keys: append([]param.Key{{Name: "queue", Kind: param.Int, Default: "100",
		Doc: "length of the queue"}}, codelLIFOSpec.Keys...),
	Changes: strategies.Admission,
	Holds:   true,
	Check: func(p strategies.Params) error {
		return cmp.Or(p.Values.CheckRange("queue", 0, strategies.MaxSlots), codelLIFOSpec.Check(p))
	},
	Refuses: func(_ param.Values, inner strategies.Spec) error {
		if inner.Retries {
			return fmt.Errorf("it would count a task that waits for another attempt as a task "+
				"with a slot: put %s inside the retry", codelLIFOSpec.Name)
		}
		return refusesShedder(inner)
	},
	Alter: func(s *strategies.Spec, inner strategies.Spec, l strategies.Layer) {
		alterShedder(s, inner, l)
		s.FIFO, s.UsesQueue = false, false // it forwards at most as many tasks as there are slots
	},
	Start: func(
		ctx context.Context, own param.Values, inner strategies.Spec, in strategies.Params,
		sink strategies.Sink,
	) strategies.Strategy {
		slots, queue := inner.Bound(in), engine.NewCodelQueue(own)
		s := &engine.Hold{
			Room:  make(chan struct{}, slots+own.Int("queue")),
			Sheds: true,
			Most:  slots,
			Codel: &queue,
		}
		return s.Start(ctx, inner, in, sink)
	},
})

func (s *codelLIFO) Push(w engine.Waiting, now time.Duration) {
	timeout := s.CodelQueue.Push(w, now)
	if !s.Draining {
		s.WakeAt(now+timeout, now)
	}
}

func (s *codelLIFO) Ended(engine.Waiting, engine.TaskEnd) {}

func (s *codelLIFO) Wake(now time.Duration) []*strategies.Task {
	late := s.TakeLate(now)
	if at, ok := s.OverdueAt(); ok {
		s.WakeAt(at, now)
	}
	return late
}

// KeepAll sheds tasks that are overdue now and lets all others run.
func (s *codelLIFO) KeepAll() {
	s.Mutex.Lock()
	late := s.CodelQueue.KeepAll() // tasks that are overdue at this instant
	s.Silence()
	s.Mutex.Unlock()
	for _, t := range late {
		s.Settle(t, strategies.Result{Err: strategies.ErrShed})
	}
}

func (s *codelLIFO) Drain(ctx context.Context) error {
	s.KeepAll()
	return s.Backlog.Drain(ctx)
}
