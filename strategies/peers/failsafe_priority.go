package peers

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/priority"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The peer failsafe_priority is a permit of failsafe-go's PriorityLimiter for each task: the
// AdaptiveLimiter, with a queue and a Prioritizer. The priority decides who is refused, and not who
// goes first: what waits is served in the order of acceptance. Use it where overload is to be
// refused to the least important tasks first. It costs three mutexes more than failsafe_adaptive
// once the limit is taken.
//
// From a queue of twice the limit on a share of the tasks is refused, at three times the limit all.
// The Prioritizer turns the share into the least level that may wait, by the levels of the last
// 1000 tasks that came to a full limiter: when a task comes and calibrate is over, which saves a
// goroutine. Its documentation has 1 s. Where the queue fills in less, that is too long: then all
// are refused by turns, or none is before the queue is full, and the priority makes no difference
// (TestRefusesThePriority has an example with numbers).
//
// So a task may be refused while there is room for it: the clause BlocksOrSheds does not hold,
// which declares the room that tasks of one priority have before the Prioritizer has looked.
//
// A task is in the library's class of its Priority, from 0 (very low) to 4 (very high), those
// outside in the nearest. A class has 100 levels, so that a part of it can be refused. The library
// draws a task's level by chance; here tasks take them in turn, so that a run can be repeated.
//
// The library asks and queues in two steps, so that of several that come at once more may wait
// than it allows (see the table of known faults). Here one comes after another. It waits in the
// goroutine of its task, and Submit for its answer: the library looks at the context of what it has
// queued (waiter).
type failsafePriority struct {
	engine.Lifecycle
	limiter     adaptivelimiter.PriorityLimiter[any]
	prioritizer priority.Prioritizer
	began       time.Time
	every       time.Duration

	coming  sync.Mutex
	next    time.Duration // when the Prioritizer is asked again
	turn    int           // of the levels of a class
	changed func(limit int)
}

// What the library queues, in limits: some are refused from here on, and all from there on.
const someRefused, allRefused = 2, 3

var _ = register(strategies.Spec{
	Name: "failsafe_priority",
	Summary: "failsafe-go's PriorityLimiter: an adaptive limit up to Limit with a queue, which " +
		"refuses the lowest Priority first",
	UseIf: "under overload the least important tasks must be refused, and the right limit is " +
		"unknown",
	Source:  "github.com/failsafe-go/failsafe-go/priority",
	OnPanic: "contained by the adapter, but through failsafe-go's executor it costs a permit for good",
	Adds: slices.Concat(failsafeAdds, []strategies.Addition{
		{What: "a limit of 1 to Limit that begins at Limit",
			Bare: "a limit of 1 to 200 that begins at 20"},
		{What: "tasks ask for a permit one at a time",
			Bare: "lets more tasks wait than allowed when several come at once"},
		{What: "tasks of a class use its 100 levels in turn",
			Bare: "draws a level by chance"},
		{What: "looks at the queue when a task comes and calibrate is over",
			Bare: "the program calls Calibrate or ScheduleCalibrations"},
		{What: "a failed task is no sample",
			Bare: "the executor records each task that was not cancelled"},
	}),
	Keys: []param.Key{
		{Name: "calibrate", Kind: param.Duration, Default: "1s",
			Doc: "time between two checks of the queue, which decide the priorities to refuse"},
	},

	Capacity: func(p strategies.Params) int { return (1 + allRefused) * p.Limit },
	Sheds:    true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		most := uint(p.Limit)
		s := &failsafePriority{prioritizer: adaptivelimiter.NewPrioritizer(), began: time.Now(),
			every: p.Values.Duration("calibrate"), changed: func(int) {}}
		s.limiter = adaptivelimiter.NewBuilder[any]().WithLimits(1, most, most).
			OnLimitChanged(func(e adaptivelimiter.LimitChangedEvent) {
				s.changed(int(e.NewLimit))
			}).
			WithQueueing(someRefused, allRefused).BuildPrioritized(s.prioritizer)
		s.next = s.every
		s.Open(ctx, sink, nil)
		return s
	},
})

// Limit implements strategies.Learner.
func (s *failsafePriority) Limit() int { return s.limiter.Limit() }

// OnLimit implements strategies.Learner.
func (s *failsafePriority) OnLimit(f func(limit int)) { s.changed = f }

// Submit returns when the task has a permit, is queued by the library, or is refused by it.
func (s *failsafePriority) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Enter(ctx); err != nil {
		return err
	}
	s.coming.Lock()
	defer s.coming.Unlock()
	if s.limiter.Inflight() < s.limiter.Limit() {
		permit, err := s.limiter.AcquirePermitWithMaxWait(context.Background(), 0)
		if err == nil {
			go s.execute(t, permit)
			return nil
		}
	}
	if now := time.Since(s.began); now >= s.next {
		s.prioritizer.Calibrate()
		s.next = now + s.every
	}
	answer := make(chan error, 1)
	go s.wait(t, s.levelOf(t.Priority), answer)
	err := <-answer
	if err != nil {
		s.Leave()
	}
	return err
}

// levelOf is the next level of the class of a priority.
func (s *failsafePriority) levelOf(of int32) int {
	const levels, step = 100, 61 // every level comes once in so many turns
	s.turn = (s.turn + step) % levels
	class := priority.Priority(min(max(of, int32(priority.VeryLow)), int32(priority.VeryHigh)))
	return class.MinLevel() + s.turn
}

// A waiter is the context of a task that asks for a permit. The library looks at its Done once it
// has queued the task, which is the answer.
type waiter struct {
	context.Context
	answer chan<- error
}

func (w waiter) Done() <-chan struct{} {
	w.accepted()
	return w.Context.Done()
}

func (w waiter) accepted() {
	select {
	case w.answer <- nil:
	default: // that was known
	}
}

// wait acquires a permit in the goroutine of the task. It sends at least one answer, and never
// blocks in sending.
func (s *failsafePriority) wait(t *strategies.Task, level int, answer chan<- error) {
	w := waiter{s.Ctx, answer}
	permit, err := s.limiter.AcquirePermitWithLevel(w, level)
	switch {
	case err == nil:
		w.accepted()
		s.execute(t, permit)
	case s.Ctx.Err() != nil && err == s.Ctx.Err():
		s.Settle(t, strategies.Result{Err: s.GiveUp()})
	default:
		answer <- strategies.ErrShed
	}
}

// execute runs a task that has a permit. Whatever it does, the permit is given back before it is
// done.
func (s *failsafePriority) execute(t *strategies.Task, permit adaptivelimiter.Permit) {
	engine.Conclude(func() strategies.Result { return s.Run(t) },
		func(r strategies.Result, _ bool) {
			giveBack(permit, r)
			s.Settle(t, r)
		})
}
