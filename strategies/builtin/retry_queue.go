package builtin

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// retryQueue is worker_pool with a second, delayed queue. A task whose attempt requests another
// waits there without a worker, and joins the end of the first queue when it is due. There is no
// backpressure: a failing target receives new tasks instead of the failed ones. Compared with
// worker_pool it costs about 30 ns more per task, and two goroutine switches per failed attempt.
//
// The parameter delayed is the room for tasks in backoff. Without it, they would keep out new tasks
// if there is no queue.
type retryQueue struct {
	engine.Workers
	retries engine.Retries
	count   atomic.Uint64       // number of Submits
	slots   chan struct{}       // contains one element for each task inside
	began   time.Time           // origin of all times here
	parked  chan engine.Waiting // from the workers to the delayed queue
}

var _ = strategies.RegisterBuiltin(strategies.Spec{
	Name:    "retry_queue",
	Summary: "a worker pool with a delayed queue for tasks that will be tried again",
	UseIf:   "failures are frequent or backoffs long, and other tasks should not wait behind them",
	Source:  "the stock scraper's secondary retry queue for delayed execution",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Calls},
	OnPanic: "contained, and not tried again; the worker is replaced",
	Keys: engine.RetryKeys(param.Key{Name: "delayed", Kind: param.Int, Default: "256",
		Doc: "additional tasks to accept beyond limit and queue, so tasks that wait for their " +
			"next attempt do not block others"}),

	Bound:          func(p strategies.Params) int { return p.Limit },
	Capacity:       retryQueueCapacity,
	FIFO:           true,
	WorkConserving: true,
	Retries:        true,
	UsesQueue:      true,
	Check: func(p strategies.Params) error {
		return cmp.Or(p.Values.CheckRange("delayed", 0, strategies.MaxSlots), engine.CheckRetries(p))
	},

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		most := retryQueueCapacity(p)
		s := &retryQueue{retries: engine.NewRetries(p), slots: make(chan struct{}, most),
			began: time.Now(), parked: make(chan engine.Waiting, p.Limit)}
		s.Again = s.park
		// jobs has room for all tasks, so a send never blocks.
		s.Start(ctx, engine.RetrySink{Slots: s.slots, Sink: sink}, p.Limit, most)
		s.Alive.Go(s.runDelayedQueue)
		return s
	},
})

// The part retry is the delayed queue alone, around any strategy.
var _ = strategies.RegisterPart(strategies.Part{
	Name: "retry",
	Summary: "tasks that need another attempt wait outside, and then are submitted again behind " +
		"later tasks",
	Keys: engine.RetryKeys(param.Key{Name: "delayed", Kind: param.Int, Default: "256",
		Doc: "additional tasks to accept, so tasks that wait for their next attempt do not block " +
			"others; none if the inner strategy sheds or runs steps"},
		engine.BudgetKey),
	Changes: strategies.Attempts,
	Check: func(p strategies.Params) error {
		return cmp.Or(p.Values.CheckRange("delayed", 0, strategies.MaxSlots), engine.CheckRetries(p),
			engine.CheckBudget(p.Values))
	},
	Holds: true,
	Refuses: func(v param.Values, inner strategies.Spec) error {
		switch n := v.Int("delayed"); {
		case !v.Given("delayed"):
		case inner.Sheds:
			return fmt.Errorf("delayed=%d is a queue before the queue from which %s sheds", n, inner.Name)
		case inner.Quantum != nil:
			return fmt.Errorf("delayed=%d is a queue, in which a task would miss its turns", n)
		}
		return nil
	},
	Alter: func(s *strategies.Spec, inner strategies.Spec, l strategies.Layer) {
		s.Retries = true
		engine.Roomier(s, inner, l, retryDelayed)
	},
	Start: func(
		ctx context.Context, own param.Values, inner strategies.Spec, in strategies.Params,
		sink strategies.Sink,
	) strategies.Strategy {
		s := engine.HoldOf(inner, in, retryDelayed(own, inner), inner.Sheds)
		r := engine.NewPartRetries(own)
		s.Retries = &r
		return s.Start(ctx, inner, in, sink)
	},
})

func retryDelayed(own param.Values, inner strategies.Spec) int {
	if inner.Sheds || inner.Quantum != nil {
		return 0
	}
	return own.Int("delayed")
}

func retryQueueCapacity(p strategies.Params) int {
	return p.Limit + p.Queue + p.Values.Int("delayed")
}

func (s *retryQueue) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Acquire(ctx, s.slots); err != nil {
		return err
	}
	t.Scratch().Tries = strategies.AttemptState{Ordinal: s.count.Add(1) - 1}
	s.Enqueue(t)
	return nil
}

func (s *retryQueue) park(
	t *strategies.Task, r strategies.Result,
) (final strategies.Result, later bool) {
	wait, err := s.retries.Next(t, r)
	if err != nil {
		return strategies.Result{Err: err}, false
	}
	due := engine.Prolong(time.Since(s.began), wait)
	// Came is the due time.
	s.parked <- engine.Waiting{Task: t, Came: due, Key: int64(due), Seq: t.Scratch().Tries.Ordinal}
	return strategies.Result{}, true
}

// runDelayedQueue owns the delayed queue, a heap by due time and then by submission. It blocks only
// when idle, so workers do not wait for it.
func (s *retryQueue) runDelayedQueue() {
	var delayed engine.Heap
	timer := time.NewTimer(time.Hour) // stopped at once; Reset sets the real wait
	timer.Stop()
	defer timer.Stop()
	ended := s.Ctx.Done()
	for {
		select {
		case p := <-s.parked:
			delayed.Push(p)
		case <-timer.C:
		case <-ended:
			ended = nil
		case <-s.Idle:
			return
		}
		timer.Stop()
		for len(delayed) > 0 {
			over := s.Ctx.Err() != nil
			if wait := delayed[0].Came - time.Since(s.began); wait > 0 && !over {
				timer.Reset(wait)
				break
			}
			t := delayed.Pop().Task
			if over {
				s.Settle(t, strategies.Result{Err: s.EndedBy()})
			} else {
				s.Enqueue(t)
			}
		}
	}
}
