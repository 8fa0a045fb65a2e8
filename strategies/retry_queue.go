package strategies

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// retryQueue is worker_pool with a second, delayed queue: a task whose attempt asks for another
// waits there, its worker goes on to the next task, and when its time has come it joins the end of
// the first queue.
//
// Use it if failures are many or their waits long, and the tasks independent: tasks in backoff keep
// no slot. It costs the order (a task that is tried again is overtaken by those that came
// meanwhile), and the slow-down: a target in trouble gets new tasks instead of the failed ones. It
// adds to worker_pool some 30 ns a task for admission, a goroutine that keeps the delayed queue
// (one, however many wait), and two switches of goroutines per failed attempt.
//
// A task in backoff is still accepted and not done, so something must bound how many there are, or
// a target that fails would fill the memory. That is the parameter delayed: the instance is full
// with Limit + Queue + delayed tasks, wherever they are, and then Submit blocks. To count the tasks
// in backoff against the queue alone was rejected: without a queue, tasks in backoff would then
// keep out new ones, which is what this strategy is there to avoid.
//
// A task that panics or ends its goroutine is not tried again: nothing says that it may be.
type retryQueue struct {
	workers
	retries retries
	count   atomic.Uint64 // of Submits
	slots   chan struct{} // holds one element for each task inside
	began   time.Time     // when the instance was made: all instants here are counted from it
	parked  chan waiting  // from the workers to the delayed queue
}

var _ = register(Spec{
	Name:    "retry_queue",
	Summary: "a worker pool with a delayed queue for tasks that will be tried again",
	UseIf:   "failures are many or their waits long, and other tasks should not stand behind them",
	Source:  "the stock scraper's secondary retry queue for delayed execution",
	OnPanic: "contained, and not tried again; the worker is replaced",
	Keys: retryKeys(param.Key{Name: "delayed", Kind: param.Int, Default: "256",
		Doc: "tasks accepted beyond limit and queue, so that those that wait for their next " +
			"attempt keep no others out"}),

	Bound:          func(p Params) int { return p.Limit },
	Capacity:       retryQueueCapacity,
	FIFO:           true,
	WorkConserving: true,
	Retries:        true,
	UsesQueue:      true,
	Check: func(p Params) error {
		if n := p.Values.Int("delayed"); n < 0 || n > MaxSlots {
			return fmt.Errorf("delayed %d: want 0 to %d", n, MaxSlots)
		}
		return checkRetries(p)
	},

	New: func(ctx context.Context, p Params, sink Sink) Strategy {
		most := retryQueueCapacity(p)
		s := &retryQueue{retries: newRetries(p), slots: make(chan struct{}, most),
			began: time.Now(), parked: make(chan waiting, p.Limit)}
		s.again = s.park
		// jobs has room for all: to send there never blocks
		s.start(ctx, retrySink{s.slots, sink}, p.Limit, most)
		s.alive.Add(1)
		go s.keepTime()
		return s
	},
})

// The part retry is the delayed queue alone, before any strategy: see holdOf.
var _ = registerPart(Part{
	Name: "retry",
	Summary: "tasks that ask for another attempt wait outside and come again, behind those that " +
		"came meanwhile",
	Keys: retryKeys(param.Key{Name: "delayed", Kind: param.Int, Default: "256",
		Doc: "tasks accepted beyond what fits inside, so that those that wait for their next " +
			"attempt keep no others out; none where what is inside sheds or serves in steps"},
		budgetKey),
	role: attempts,
	check: func(p Params) error {
		if n := p.Values.Int("delayed"); n < 0 || n > MaxSlots {
			return fmt.Errorf("delayed %d: want 0 to %d", n, MaxSlots)
		}
		return cmp.Or(checkRetries(p), checkBudget(p.Values))
	},
	holds: true,
	refuses: func(v param.Values, inner Spec) error {
		switch n := v.Int("delayed"); {
		case !v.Given("delayed"):
		case inner.Sheds:
			return fmt.Errorf("delayed=%d is a queue, which would be before the one that %s sheds "+
				"from", n, inner.Name)
		case inner.Quantum != nil:
			return fmt.Errorf("delayed=%d is a queue, in which a task would miss its turns", n)
		}
		return nil
	},
	alter: func(s *Spec, inner Spec, l layer) {
		s.Retries = true
		if inner.Capacity == nil {
			return
		}
		s.Capacity = func(p Params) int {
			own, in := l.split(p)
			return inner.Capacity(in) + retryDelayed(own, inner)
		}
	},
	start: func(
		ctx context.Context, own param.Values, inner Spec, in Params, sink Sink,
	) Strategy {
		s := holdOf(inner, in, retryDelayed(own, inner), inner.Sheds)
		r := newPartRetries(own)
		s.retries = &r
		return s.start(ctx, inner, in, sink)
	},
})

func retryDelayed(own param.Values, inner Spec) int {
	if inner.Sheds || inner.Quantum != nil {
		return 0
	}
	return own.Int("delayed")
}

func retryQueueCapacity(p Params) int { return p.Limit + p.Queue + p.Values.Int("delayed") }

// Submit blocks while as many tasks are inside as the capacity says.
func (s *retryQueue) Submit(ctx context.Context, t *Task) error {
	if err := s.acquire(ctx, s.slots); err != nil {
		return err
	}
	t.tries = tries{ordinal: s.count.Add(1) - 1}
	s.enqueue(t)
	return nil
}

// park has t wait for its next attempt, if it is to have one.
func (s *retryQueue) park(t *Task, r Result) (final Result, later bool) {
	wait, err := s.retries.next(t, r)
	if err != nil {
		return Result{Err: err}, false
	}
	due := prolong(time.Since(s.began), wait)
	// it comes when it is due
	s.parked <- waiting{task: t, came: due, key: float64(due), seq: t.tries.ordinal}
	return Result{}, true
}

// keepTime is the life of the goroutine that owns the delayed queue: a heap by the time of the next
// attempt, in which of those that are due at one instant the oldest is first. It lasts until
// nothing is inside, and never blocks but for something to do, so a worker does not wait for it.
func (s *retryQueue) keepTime() {
	defer s.alive.Done()
	var delayed heap
	timer := time.NewTimer(time.Hour) // never that long: it is set when there is a wait
	timer.Stop()
	defer timer.Stop()
	ended := s.ctx.Done()
	for {
		select {
		case p := <-s.parked:
			delayed.push(p)
		case <-timer.C:
		case <-ended:
			ended = nil
		case <-s.idle:
			return
		}
		timer.Stop()
		for len(delayed) > 0 {
			over := s.ctx.Err() != nil
			if wait := delayed[0].came - time.Since(s.began); wait > 0 && !over {
				timer.Reset(wait)
				break
			}
			t := delayed.pop().task
			if over {
				s.settle(t, Result{Err: s.endedBy()})
			} else {
				s.enqueue(t)
			}
		}
	}
}
