package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// A Hold is the engine of parts that delay accepted tasks. One goroutine forwards tasks, so a
// blocking inner Submit does not block the caller. If nothing delays tasks, Submit calls the inner
// Submit directly.
type Hold struct {
	partState
	Room    chan struct{} // one element per task inside; nil means unlimited
	Sheds   bool          // whether Submit sheds instead of blocking when Room is full
	direct  bool          // whether Submit calls the inner Submit
	Most    int           // maximum number of forwarded tasks that are not done; 0 means no limit
	pace    Pacer         // nil means that starts are not paced
	Codel   *CodelQueue   // order of the waiting tasks; nil means FIFO
	Picks   Picker        // chooses among the waiting tasks in place of the FIFO order; may be nil
	Retries *Retries
	count   atomic.Uint64 // number of Submits
	began   time.Time     // origin of all instants of the Hold

	mu        sync.Mutex
	ready     ring[Waiting] // waiting tasks in order of acceptance
	delayed   Heap          // tasks by the time of their next attempt
	pushed    uint64        // number of tasks accepted so far
	forwarded int           // forwarded tasks that are not done; valid only if Most or Picks is set
	ended     bool          // whether Ctx has ended; no task is queued then

	wake chan struct{} // has one element when a task may be ready to be forwarded
}

// A Picker queues the waiting tasks of a Hold and chooses the next. The caller holds the Hold's
// mutex.
type Picker interface {
	Push(w Waiting)
	Pop() (Waiting, bool)
	Ended(t *strategies.Task)
	Empty() []*strategies.Task
}

// A Pacer decides when the head of a queue may start.
type Pacer interface {
	// At returns the earliest start of the head. The result changes only by Spend.
	At(now time.Duration, began time.Time) time.Duration
	Spend(now time.Duration)
}

// HoldOf returns a Hold with room for the capacity of the inner strategy plus more tasks.
func HoldOf(inner strategies.Spec, in strategies.Params, more int, sheds bool) *Hold {
	s := &Hold{Sheds: sheds}
	if inner.Capacity != nil {
		s.Room = make(chan struct{}, inner.Capacity(in)+more)
	}
	return s
}

// Roomier declares that a composition accepts more tasks than its inner strategy, as HoldOf does.
func Roomier(
	s *strategies.Spec, inner strategies.Spec, l strategies.Layer,
	more func(own param.Values, inner strategies.Spec) int,
) {
	if inner.Capacity == nil {
		return
	}
	s.Capacity = func(p strategies.Params) int {
		own, in := l.Split(p)
		return inner.Capacity(in) + more(own, inner)
	}
}

// Start opens the instance and creates the inner one.
func (s *Hold) Start(
	ctx context.Context, inner strategies.Spec, in strategies.Params, sink strategies.Sink,
) *Hold {
	s.direct = s.pace == nil && s.Codel == nil && s.Picks == nil &&
		(inner.Sheds || inner.Capacity == nil || cap(s.Room) <= inner.Capacity(in))
	s.began, s.Drop, s.newCtx = time.Now(), s.dropHeld, ctx
	s.wake = make(chan struct{}, 1)
	s.inside = []strategies.Strategy{inner.New(ctx, in, s)}
	s.Open(ctx, sink, nil)
	s.forwarders.Go(s.forward)
	return s
}

// Submit blocks or sheds when the Hold is full.
func (s *Hold) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.enterRoom(ctx); err != nil {
		return err
	}
	if s.Retries != nil {
		t.Scratch().Tries = strategies.AttemptState{Ordinal: s.count.Add(1) - 1}
	}
	if !s.direct {
		s.enqueue(t)
	} else if err := s.inside[0].Submit(ctx, t); err != nil {
		s.forget(t)
		s.Leave()
		return err
	}
	if s.Retries != nil {
		s.Retries.budget.Deposit()
	}
	return nil
}

func (s *Hold) enterRoom(ctx context.Context) error {
	switch {
	case s.Room == nil:
		return s.Enter(ctx)
	case !s.Sheds:
		return s.Acquire(ctx, s.Room)
	}
	if err := s.Enter(ctx); err != nil {
		return err
	}
	select {
	case s.Room <- struct{}{}:
		return nil
	default:
		s.Leave()
		return strategies.ErrShed
	}
}

func (s *Hold) forget(t *strategies.Task) {
	if s.Retries != nil {
		t.Scratch().Tries = strategies.AttemptState{}
	}
	if s.Room != nil {
		<-s.Room
	}
}

func (s *Hold) enqueue(t *strategies.Task) {
	s.mu.Lock()
	over := s.ended
	if !over {
		s.Push(t)
	}
	s.mu.Unlock()
	if over {
		s.settleHeld(t, strategies.Result{Err: s.GiveUpOn(t)})
		return
	}
	signal(s.wake)
}

// Push appends an accepted task. The caller holds the mutex.
func (s *Hold) Push(t *strategies.Task) {
	w := Waiting{Task: t, Seq: s.pushed}
	s.pushed++
	switch {
	case s.Codel != nil:
		w.Came = time.Since(s.began)
		s.Codel.Push(w, w.Came)
		return
	case s.Picks != nil:
		s.Picks.Push(w)
		return
	case len(s.delayed) > 0:
		s.bringDue(time.Since(s.began))
	}
	s.ready.pushBack(w)
}

func signal(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// Done implements strategies.Sink for the inner strategy.
func (s *Hold) Done(t *strategies.Task, r strategies.Result) {
	if s.Most > 0 || s.Picks != nil {
		s.mu.Lock()
		s.countOut(t)
		s.mu.Unlock()
		signal(s.wake)
	}
	if r.Retry && s.Retries != nil {
		err := s.scheduleRetry(t, r)
		if err == nil {
			return
		}
		r = strategies.Result{Err: err}
	}
	s.settleHeld(t, r)
}

func (s *Hold) countOut(t *strategies.Task) {
	s.forwarded--
	if s.Picks != nil {
		s.Picks.Ended(t)
	}
}

func (s *Hold) scheduleRetry(t *strategies.Task, r strategies.Result) error {
	wait, err := s.Retries.Next(t, r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return s.EndedBy()
	}
	due := Prolong(time.Since(s.began), wait)
	s.delayed.Push(Waiting{Task: t, Came: due, Key: int64(due), Seq: t.Scratch().Tries.Ordinal})
	s.mu.Unlock()
	signal(s.wake)
	return nil
}

func (s *Hold) settleHeld(t *strategies.Task, r strategies.Result) {
	s.forget(t)
	s.Settle(t, r)
}

func (s *Hold) forward() {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		t, wait, late := s.Next()
		for _, t := range late {
			s.settleHeld(t, strategies.Result{Err: strategies.ErrShed})
		}
		if t != nil {
			if err := s.inside[0].Submit(s.Ctx, t); err != nil {
				s.refused(t, err)
			}
			continue
		}
		if wait > 0 {
			timer.Reset(wait)
		}
		select {
		case <-s.wake:
		case <-timer.C:
		case <-s.Ctx.Done():
			return
		}
		timer.Stop()
	}
}

// Next returns the task to forward now, and overdue tasks to shed. Without a task, wait is the time
// until the next one may start, or 0.
func (s *Hold) Next() (t *strategies.Task, wait time.Duration, late []*strategies.Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Since(s.began)
	s.bringDue(now)
	soonest := func(at time.Duration) {
		if left := at - now; wait == 0 || left < wait {
			wait = left
		}
	}
	if s.Most == 0 || s.forwarded < s.Most {
		w, at := s.Pop(now)
		switch {
		case w.Task != nil:
			s.forwarded++
			t = w.Task
		case at > now:
			soonest(at)
		}
	}
	if s.Codel != nil {
		late = s.Codel.TakeLate(now)
		if at, ok := s.Codel.OverdueAt(); ok {
			soonest(at)
		}
	}
	if len(s.delayed) > 0 {
		soonest(s.delayed[0].Came)
	}
	return t, wait, late
}

// Pop returns the next task or the instant at which it may start.
func (s *Hold) Pop(now time.Duration) (w Waiting, at time.Duration) {
	switch {
	case s.Codel != nil:
		w, _ = s.Codel.Pop(now)
		return w, 0
	case s.Picks != nil:
		w, _ = s.Picks.Pop()
		return w, 0
	case s.ready.Len == 0:
		return w, 0
	case s.pace != nil:
		if at = s.pace.At(now, s.began); at > now {
			return w, at
		}
		s.pace.Spend(now)
	}
	return s.ready.PopFront(), 0
}

func (s *Hold) bringDue(now time.Duration) {
	for len(s.delayed) > 0 && s.delayed[0].Came <= now {
		s.ready.pushBack(s.delayed.Pop())
	}
}

func (s *Hold) refused(t *strategies.Task, err error) {
	s.mu.Lock()
	s.countOut(t)
	s.mu.Unlock()
	s.settleHeld(t, strategies.Result{Err: s.refusal(t, err)})
}

func (s *Hold) dropHeld() {
	s.mu.Lock()
	s.ended = true
	tasks := emptied(&s.ready, nil)
	switch {
	case s.Codel != nil:
		tasks = s.Codel.Empty()
	case s.Picks != nil:
		tasks = s.Picks.Empty()
	}
	tasks = s.delayed.Empty(tasks)
	s.mu.Unlock()
	for _, t := range tasks {
		s.settleHeld(t, strategies.Result{Err: s.GiveUpOn(t)})
	}
}

// KeepAll stops the Hold and the inner strategy from shedding accepted tasks.
func (s *Hold) KeepAll() {
	if s.Codel != nil {
		s.mu.Lock()
		late := s.Codel.KeepAll()
		s.mu.Unlock()
		for _, t := range late {
			s.settleHeld(t, strategies.Result{Err: strategies.ErrShed})
		}
	}
	s.partState.KeepAll()
}

// Drain implements strategies.Strategy.
func (s *Hold) Drain(ctx context.Context) error {
	s.closeIntake()
	s.KeepAll()
	return s.drain(ctx)
}
