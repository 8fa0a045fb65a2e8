package strategytest_test

import (
	"context"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// tooLate is longer than any check waits for goroutines, but within the bubble. A permanent leak
// would slow down later tests, which search all goroutines.
const tooLate = 30 * time.Minute

// reference is a simple implementation of the contract, with a mutex, two lists and one fault.
type reference struct {
	fault  fault
	kind   kind
	p      strategies.Params
	sink   strategies.Sink
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   chan struct{} // closed when closed is set and nothing is inside

	mu        sync.Mutex
	pools     []pool // one pool, or one for Short and one for Long
	queue     []*entry
	line      []*waiter
	inside    int // tasks accepted and not settled
	accepted  int
	abandoned int
	givenUp   int // blocked Submits that gave up
	closed    bool

	kept  []*strategies.Task               // remembersTasks
	dealt map[*strategies.Task]int         // dealsInTurn: the slot of each task
	busy  map[int]bool                     // dealsInTurn: the slots in use
	later map[*strategies.Task]*time.Timer // runsWhatItShed
	shares
}

// pool is a set of slots with its own queue capacity.
type pool struct {
	limit   int
	running atomic.Int64 // changes with mu held; checksThenActs reads it without mu
	room    int          // number of further tasks that it accepts
}

// Tasks whose class has no pool use anyPool. nowhere means no slot.
const (
	anyPool = -1
	nowhere = -2
)

type entry struct {
	task   *strategies.Task
	pool   int // destination of the task
	room   int // class pool whose room it uses
	atOnce bool
	// passes a slot to a task between steps; nil if the task has not started
	grant chan int
}

type waiter struct {
	task    *strategies.Task
	outcome chan error
}

func (s *reference) poolOf(t *strategies.Task) int {
	switch {
	case len(s.pools) == 1:
		return 0
	case t.Class == strategies.Short:
		return 0
	case t.Class == strategies.Long:
		return 1
	}
	return anyPool
}

func (s *reference) Submit(ctx context.Context, t *strategies.Task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.fault == swallowsTasks {
		return nil
	}
	if parent, ok := ctx.Value(inside{}).(chan struct{}); ok {
		select {
		case <-parent:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	atOnce := s.fault == checksThenActs && s.pools[0].running.Load() < int64(s.p.Limit)
	if atOnce {
		runtime.Gosched()
	}
	s.mu.Lock()
	if timer := s.later[t]; timer != nil {
		timer.Stop()
		delete(s.later, t)
	}
	room := s.roomFor(t)
	switch {
	case s.closed && s.fault == panicsOnLateSubmit:
		s.mu.Unlock()
		panic("send on closed channel")
	case s.closed && s.fault == exitsOnLateSubmit:
		s.mu.Unlock()
		runtime.Goexit()
	case s.closed && s.fault == spinsOnLateSubmit:
		s.mu.Unlock()
		for n := 0; ; n++ {
		}
	case s.closed && s.fault == locksOnLateSubmit:
		s.mu.Lock()
	case s.closed && s.fault == diesOnLateSubmit:
		os.Exit(0)
	case s.closed && s.fault != staysOpen:
		s.mu.Unlock()
		return strategies.ErrClosed
	case room != nowhere:
		s.accept(&entry{task: t, pool: s.poolOf(t), room: room, atOnce: atOnce})
		s.mu.Unlock()
		return nil
	case s.kind.sheds:
		if s.fault == runsWhatItShed {
			s.later[t] = time.AfterFunc(time.Minute, func() { _ = s.Submit(s.ctx, t) })
		}
		s.mu.Unlock()
		return strategies.ErrShed
	}
	w := &waiter{t, make(chan error, 1)}
	s.line = append(s.line, w)
	s.mu.Unlock()
	return s.wait(ctx, w)
}

func (s *reference) wait(ctx context.Context, w *waiter) error {
	if s.fault == deafSubmit {
		return <-w.outcome
	}
	select {
	case err := <-w.outcome:
		return err
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.line, w)
	if at < 0 {
		return <-w.outcome
	}
	s.line = slices.Delete(s.line, at, at+1)
	if s.givenUp++; s.fault == keepsRoomOfGivenUp && s.givenUp%700 == 0 {
		s.pools[0].room--
	}
	if s.fault == sendsToNobody {
		unbuffered := make(chan error)
		go func() { unbuffered <- <-w.outcome }()
		go func() { <-s.idle; w.outcome <- strategies.ErrClosed }()
	}
	return ctx.Err()
}

// roomFor returns a class pool with room for the task, or nowhere. The caller of roomFor, accept,
// dispatch, slot and leave holds mu.
func (s *reference) roomFor(t *strategies.Task) int {
	to := s.poolOf(t)
	if s.fault == sharesTheRoom {
		to = anyPool
	}
	for i := range s.pools {
		if (to == i || to == anyPool) && s.pools[i].room > 0 {
			return i
		}
	}
	return nowhere
}

func (s *reference) accept(e *entry) {
	s.pools[e.room].room--
	s.inside++
	s.accepted++
	if s.fault == losesOneInThousand && s.accepted%1000 == 0 {
		s.pools[e.room].room++
		s.inside--
		return
	}
	if s.fault == dealsInTurn {
		s.dealt[e.task] = s.accepted % s.p.Limit
	}
	s.queue = append(s.queue, e)
	s.dispatch()
}

func (s *reference) dispatch() {
	for i := 0; i < len(s.queue); {
		at := i
		switch {
		case s.fault == lastInFirstOut:
			at = len(s.queue) - 1 - i
		case s.fault == overtakesSeldom && s.accepted%700 == 0:
			at = min(i+1, len(s.queue)-1)
		case s.kind.chooses() && s.pools[0].running.Load() >= int64(s.pools[0].limit):
			return
		case s.kind.chooses():
			at = s.choose()
		}
		e := s.queue[at]
		slot := s.slot(e)
		if slot == nowhere {
			i++
			continue
		}
		s.queue = slices.Delete(s.queue, at, at+1)
		s.pools[slot].running.Add(1)
		if e.grant != nil {
			e.grant <- slot
			continue
		}
		if s.fault == dealsInTurn {
			s.busy[s.dealt[e.task]] = true
		}
		go s.work(e, slot)
	}
}

func (s *reference) slot(e *entry) int {
	to := e.pool
	switch {
	case s.fault == dealsInTurn && s.busy[s.dealt[e.task]]:
		return nowhere
	case s.fault == lendsSlots:
		to = anyPool
	}
	for i := range s.pools {
		limit := int64(s.pools[i].limit)
		if s.fault == exceedsSeldom && s.accepted%700 == 0 {
			limit++
		}
		if (to == i || to == anyPool) && (s.pools[i].running.Load() < limit || e.atOnce) {
			return i
		}
	}
	return nowhere
}

func (s *reference) leave(e *entry, slot int) {
	if slot != nowhere {
		s.pools[slot].running.Add(-1)
	}
	s.pools[e.room].room++
	line := slices.Clone(s.line)
	if s.fault == lastWaiterFirst {
		slices.Reverse(line)
	}
	for _, w := range line {
		if room := s.roomFor(w.task); room != nowhere {
			s.line = slices.DeleteFunc(s.line, func(o *waiter) bool { return o == w })
			s.accept(&entry{task: w.task, pool: s.poolOf(w.task), room: room})
			w.outcome <- nil
			return
		}
	}
}
