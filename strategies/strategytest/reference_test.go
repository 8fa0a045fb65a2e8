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

// tooLate is how long after its end a leaky instance keeps its goroutines: longer than any check
// looks, shorter than the bubble stays. For ever would be no other finding, but would burden all
// later tests, which look through the goroutines of the process.
const tooLate = 30 * time.Minute

// A reference is the contract as a mutex and two lists, with no thought of cost, and with one
// fault.
type reference struct {
	fault  fault
	kind   kind
	p      strategies.Params
	sink   strategies.Sink
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   chan struct{} // closed when closed and nothing is inside

	mu        sync.Mutex
	lanes     []lane // one, or that of class Short and that of class Long
	queue     []*entry
	line      []*waiter
	inside    int // accepted and not settled
	accepted  int
	abandoned int
	closed    bool

	kept  []*strategies.Task               // remembersTasks
	dealt map[*strategies.Task]int         // dealsInTurn: the place that a task waits for or has
	busy  map[int]bool                     // dealsInTurn: the places that are taken
	later map[*strategies.Task]*time.Timer // runsWhatItShed
}

// A lane is one pool of places, with room of its own.
type lane struct {
	limit   int
	running atomic.Int64 // changes with mu held; checksThenActs looks at it without
	room    int          // how many more tasks are accepted
}

// anyLane is where a task goes whose class has no lane; nowhere is the place of one that holds
// none.
const (
	anyLane = -1
	nowhere = -2
)

// An entry is a task in the queue.
type entry struct {
	task   *strategies.Task
	lane   int // that the task goes to
	room   int // the lane whose room it takes
	atOnce bool
	// where one that has begun, and gave back its place, waits for the next; nil: it has not
	grant chan int
}

// A waiter is a blocked Submit.
type waiter struct {
	task *strategies.Task
	fate chan error
}

// laneOf returns the lane of a task's class.
func (s *reference) laneOf(t *strategies.Task) int {
	switch {
	case len(s.lanes) == 1:
		return 0
	case t.Class == strategies.Short:
		return 0
	case t.Class == strategies.Long:
		return 1
	}
	return anyLane
}

func (s *reference) Submit(ctx context.Context, t *strategies.Task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.fault == swallowsTasks {
		return nil
	}
	atOnce := s.fault == checksThenActs && s.lanes[0].running.Load() < int64(s.p.Limit)
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
		s.accept(&entry{task: t, lane: s.laneOf(t), room: room, atOnce: atOnce})
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

// wait is the rest of a Submit that blocks.
func (s *reference) wait(ctx context.Context, w *waiter) error {
	if s.fault == deafSubmit {
		return <-w.fate
	}
	select {
	case err := <-w.fate:
		return err
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.line, w)
	if at < 0 {
		return <-w.fate
	}
	s.line = slices.Delete(s.line, at, at+1)
	if s.fault == sendsToNobody {
		unbuffered := make(chan error)
		go func() { unbuffered <- <-w.fate }()
		go func() { <-s.idle; w.fate <- strategies.ErrClosed }()
	}
	return ctx.Err()
}

// roomFor returns the lane in which there is room for a task, or nowhere. It is called with mu
// held, as are accept, dispatch, place and leave.
func (s *reference) roomFor(t *strategies.Task) int {
	to := s.laneOf(t)
	if s.fault == sharesTheRoom {
		to = anyLane
	}
	for i := range s.lanes {
		if (to == i || to == anyLane) && s.lanes[i].room > 0 {
			return i
		}
	}
	return nowhere
}

func (s *reference) accept(e *entry) {
	s.lanes[e.room].room--
	s.inside++
	s.accepted++
	if s.fault == losesOneInThousand && s.accepted%1000 == 0 {
		s.lanes[e.room].room++
		s.inside--
		return
	}
	if s.fault == dealsInTurn {
		s.dealt[e.task] = s.accepted % s.p.Limit
	}
	s.queue = append(s.queue, e)
	s.dispatch()
}

// dispatch gives free places to what waits for them.
func (s *reference) dispatch() {
	for i := 0; i < len(s.queue); {
		at := i
		if s.fault == lastInFirstOut {
			at = len(s.queue) - 1 - i
		}
		e := s.queue[at]
		place := s.place(e)
		if place == nowhere {
			i++
			continue
		}
		s.queue = slices.Delete(s.queue, at, at+1)
		s.lanes[place].running.Add(1)
		if e.grant != nil {
			e.grant <- place
			continue
		}
		if s.fault == dealsInTurn {
			s.busy[s.dealt[e.task]] = true
		}
		go s.work(e, place)
	}
}

// place returns the lane in which there is a free place for e, or nowhere.
func (s *reference) place(e *entry) int {
	to := e.lane
	switch {
	case s.fault == dealsInTurn && s.busy[s.dealt[e.task]]:
		return nowhere
	case s.fault == lendsPlaces:
		to = anyLane
	}
	for i := range s.lanes {
		if (to == i || to == anyLane) &&
			(s.lanes[i].running.Load() < int64(s.lanes[i].limit) || e.atOnce) {
			return i
		}
	}
	return nowhere
}

// leave gives back the room of a task that has ended, and the place that it holds.
func (s *reference) leave(e *entry, place int) {
	if place != nowhere {
		s.lanes[place].running.Add(-1)
	}
	s.lanes[e.room].room++
	line := slices.Clone(s.line)
	if s.fault == lastWaiterFirst {
		slices.Reverse(line)
	}
	for _, w := range line {
		if room := s.roomFor(w.task); room != nowhere {
			s.line = slices.DeleteFunc(s.line, func(o *waiter) bool { return o == w })
			s.accept(&entry{task: w.task, lane: s.laneOf(w.task), room: room})
			w.fate <- nil
			return
		}
	}
}
