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
// AdaptiveLimiter, with a queue and a Prioritizer. The priority decides which tasks are refused,
// and not the order of the others.
//
// When the queue exceeds twice the limit, a share of the tasks is refused, and at three times the
// limit all are. So the clause BlocksOrSheds does not hold. The Prioritizer converts the share to
// the lowest level that may wait, from the levels of the last 1000 tasks at a full limiter. The
// adapter calls it when a task comes and calibrate is over. If the queue fills in less time, the
// priority makes no difference (see TestRefusesThePriority).
//
// A task is in the library's class of its Priority, from 0 (very low) to 4 (very high). A class has
// 100 levels. Tasks use them in turn, so that a run can be repeated, while the library draws them
// by chance.
//
// The library checks the queue and joins it in two steps, so more tasks than allowed may wait. The
// adapter therefore submits one task at a time.
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

// Some tasks are refused above the first multiple of the limit, and all above the second.
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
		{What: "a limit from 1 to Limit that starts at Limit",
			Bare: "a limit from 1 to 200 that starts at 20"},
		{What: "only one task at a time requests a permit",
			Bare: "lets more tasks wait than allowed if several arrive at once"},
		{What: "tasks of a priority class use its 100 levels in rotation",
			Bare: "chooses a level at random"},
		{What: "checks the queue when a task arrives, at most once per calibration " +
			"interval",
			Bare: "the program calls Calibrate or ScheduleCalibrations"},
		{What: "failed tasks do not affect the limit",
			Bare: "the executor records every task that was not cancelled"},
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

func (s *failsafePriority) Limit() int { return s.limiter.Limit() }

func (s *failsafePriority) OnLimit(f func(limit int)) { s.changed = f }

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

func (s *failsafePriority) levelOf(of int32) int {
	const levels, step = 100, 61 // every level comes once in so many turns
	s.turn = (s.turn + step) % levels
	class := priority.Priority(min(max(of, int32(priority.VeryLow)), int32(priority.VeryHigh)))
	return class.MinLevel() + s.turn
}

// A waiter is the context of a task that waits for a permit. The library calls its Done after it
// has queued the task, so this call is the answer to Submit.
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

// wait sends at least one answer, and never blocks in sending.
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

// execute gives the permit back before the task is done.
func (s *failsafePriority) execute(t *strategies.Task, permit adaptivelimiter.Permit) {
	engine.Conclude(func() strategies.Result { return s.Run(t) },
		func(r strategies.Result, _ bool) {
			giveBack(permit, r)
			s.Settle(t, r)
		})
}
