package strategytest_test

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// A fault is one way in which the reference strategy is broken.
type fault int

const (
	sound fault = iota

	oneTooMany         // an off-by-one in the limit
	settlesTwice       // Done twice for each tenth task
	losesOneInThousand // an accepted task that nobody runs
	shedsInstead       // says that it blocks, and sheds
	blocksInstead      // says that it sheds, and blocks
	deafSubmit         // a blocked Submit does not look at its context
	deafToNew          // goes through its queue though New's context has ended
	losesOnDrain       // at the deadline the queue is thrown away without a word
	leavesChannelOpen  // a worker waits on a channel that is closed long after Drain
	leaksTicker        // a goroutine that keeps waking
	staysOpen          // accepts and runs tasks after Drain
	leaksPlaceOnPanic  // the place of a task that panicked is never given back
	leaksPlaceOnGoexit // likewise Goexit
	placeTwiceOnPanic  // the place of a task that panicked is given back twice
	dealsInTurn        // tasks are dealt to the places in turn, and wait for theirs
	startsLate         // after a task its place rests for a millisecond, unless a new task comes
	lastInFirstOut     // a stack for a queue
	lastWaiterFirst    // a stack for blocked Submits
	queuesWithoutBound // accepts more than its capacity
	remembersTasks     // keeps a list of what it has done
	sendsToNobody      // a Submit that is given up leaves a goroutine that wants to tell it something
	retriesUnasked     // carries out Retry and does not say so
	panicsOnLateSubmit // as a send on a closed channel does
)

// tooLate is how long after its end a leaky instance keeps its goroutines: longer than any check looks, shorter than the bubble
// stays. For ever would be no other finding, but would burden all later tests, which look through the goroutines of the process.
const tooLate = 30 * time.Minute

// A reference is the contract as a mutex and two lists, with no thought of cost, and with one fault.
type reference struct {
	fault    fault
	p        strategies.Params
	capacity int
	sheds    bool
	sink     strategies.Sink
	ctx      context.Context
	cancel   context.CancelCauseFunc
	idle     chan struct{} // closed when closed and nothing is inside

	mu        sync.Mutex
	queue     []*strategies.Task
	line      []*waiter
	running   int
	inside    int // accepted and not settled
	room      int // capacity that is taken
	accepted  int
	abandoned int
	closed    bool

	kept  []*strategies.Task       // remembersTasks
	dealt map[*strategies.Task]int // dealsInTurn: the place that a task waits for or has
	busy  map[int]bool             // dealsInTurn: the places that are taken
}

// A waiter is a blocked Submit.
type waiter struct {
	task *strategies.Task
	fate chan error
}

func referenceSpec(f fault, sheds bool) strategies.Spec {
	limit := func(p strategies.Params) int { return p.Limit }
	capacity := func(p strategies.Params) int { return p.Limit + p.Queue }
	return strategies.Spec{
		Name: "reference", Bound: limit, Capacity: capacity, Sheds: sheds, WorkConserving: true, UsesQueue: true,
		FIFO: f != dealsInTurn, // which cannot keep the order either, and is to be caught without declaring it
		New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
			s := &reference{fault: f, p: p, capacity: capacity(p), sheds: sheds, sink: sink, idle: make(chan struct{})}
			s.dealt, s.busy = make(map[*strategies.Task]int), make(map[int]bool)
			switch f {
			case shedsInstead:
				s.sheds = true
			case blocksInstead:
				s.sheds = false
			case queuesWithoutBound:
				s.capacity = 1 << 20
			case leavesChannelOpen:
				jobs := make(chan *strategies.Task)
				go func() {
					for range jobs {
					}
				}()
				go func() { <-s.idle; time.Sleep(tooLate); close(jobs) }()
			case leaksTicker:
				go func() {
					for late := time.Duration(0); late < tooLate; time.Sleep(time.Minute) {
						select {
						case <-s.idle:
							late += time.Minute
						default:
						}
					}
				}()
			}
			s.ctx, s.cancel = context.WithCancelCause(ctx)
			stop := context.AfterFunc(s.ctx, s.newEnded)
			go func() { <-s.idle; stop() }()
			return s
		},
	}
}

func (s *reference) Submit(ctx context.Context, t *strategies.Task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed && s.fault == panicsOnLateSubmit {
		s.mu.Unlock()
		panic("send on closed channel")
	}
	switch {
	case s.closed && s.fault != staysOpen:
		s.mu.Unlock()
		return strategies.ErrClosed
	case s.room < s.capacity:
		s.accept(t)
		s.mu.Unlock()
		return nil
	case s.sheds:
		s.mu.Unlock()
		return strategies.ErrShed
	}
	w := &waiter{t, make(chan error, 1)}
	s.line = append(s.line, w)
	s.mu.Unlock()
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

// accept is called with mu held, as are all but run and those of the interface.
func (s *reference) accept(t *strategies.Task) {
	s.room++
	s.inside++
	s.accepted++
	if s.fault == losesOneInThousand && s.accepted%1000 == 0 {
		s.room--
		s.inside--
		return
	}
	if s.fault == dealsInTurn {
		s.dealt[t] = s.accepted % s.p.Limit
	}
	s.queue = append(s.queue, t)
	s.dispatch()
}

func (s *reference) dispatch() {
	limit := s.p.Limit
	if s.fault == oneTooMany {
		limit++
	}
	for s.running < limit && len(s.queue) > 0 {
		at := 0
		switch s.fault {
		case lastInFirstOut:
			at = len(s.queue) - 1
		case dealsInTurn:
			at = slices.IndexFunc(s.queue, func(t *strategies.Task) bool { return !s.busy[s.dealt[t]] })
			if at < 0 {
				return
			}
			s.busy[s.dealt[s.queue[at]]] = true
		}
		t := s.queue[at]
		s.queue = slices.Delete(s.queue, at, at+1)
		s.running++
		go s.work(t)
	}
}

// work runs a task in a place of the limit.
func (s *reference) work(t *strategies.Task) {
	done := make(chan strategies.Result, 1)
	go s.run(t, done)
	r := <-done

	_, panicked := r.Err.(*strategies.PanicError)
	leak := s.fault == leaksPlaceOnPanic && panicked || s.fault == leaksPlaceOnGoexit && r.Err == strategies.ErrGoexit
	s.mu.Lock()
	if !leak {
		s.leave()
	}
	if s.fault == placeTwiceOnPanic && panicked {
		s.running--
	}
	if s.fault == dealsInTurn {
		s.busy[s.dealt[t]] = false
		delete(s.dealt, t)
	}
	if s.fault == startsLate {
		time.AfterFunc(time.Millisecond, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.dispatch()
		})
	} else {
		s.dispatch()
	}
	s.mu.Unlock()
	s.settle(t, r)
}

// leave gives back the room of a task, and its place.
func (s *reference) leave() {
	s.running--
	s.room--
	if len(s.line) > 0 && s.room < s.capacity {
		at := 0
		if s.fault == lastWaiterFirst {
			at = len(s.line) - 1
		}
		w := s.line[at]
		s.line = slices.Delete(s.line, at, at+1)
		s.accept(w.task)
		w.fate <- nil
	}
}

// run runs t to its end in a goroutine of its own, which a panic or Goexit may have.
func (s *reference) run(t *strategies.Task, done chan<- strategies.Result) {
	r, returned := strategies.Result{}, false
	defer func() {
		if v := recover(); v != nil {
			r.Err = &strategies.PanicError{Value: v, Stack: debug.Stack()}
		} else if !returned {
			r.Err = strategies.ErrGoexit
		}
		done <- r
	}()
	if s.ctx.Err() != nil && s.fault != deafToNew {
		r.Err = context.Cause(s.ctx)
		if r.Err == strategies.ErrAbandoned {
			s.mu.Lock()
			s.abandoned++
			s.mu.Unlock()
		}
	} else {
		r = s.steps(t)
		if r.Retry && s.fault == retriesUnasked {
			r = s.steps(t)
		}
	}
	returned = true
}

func (s *reference) steps(t *strategies.Task) strategies.Result {
	for {
		r := t.Run(s.ctx, t)
		for _, sub := range r.Split {
			if err := s.steps(sub).Err; r.Err == nil {
				r.Err = err
			}
		}
		if r.Err != nil || !r.More {
			return strategies.Result{Err: r.Err, Retry: r.Retry, After: r.After}
		}
	}
}

func (s *reference) settle(t *strategies.Task, r strategies.Result) {
	s.sink.Done(t, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == settlesTwice && s.inside%10 == 0 {
		s.sink.Done(t, r)
	}
	if s.fault == remembersTasks {
		s.kept = append(s.kept, t)
	}
	s.inside--
	s.endIfIdle()
}

func (s *reference) endIfIdle() {
	if s.closed && s.inside == 0 {
		select {
		case <-s.idle:
		default:
			close(s.idle)
		}
	}
}

// newEnded settles the queue when New's context has ended, or a Drain has cancelled it.
func (s *reference) newEnded() {
	s.closeIntake()
	if s.fault != deafToNew {
		s.sweep(s.ctx.Err())
	}
}

// sweep settles what is queued, with err.
func (s *reference) sweep(err error) {
	s.mu.Lock()
	queue := s.queue
	s.queue = nil
	if err == strategies.ErrAbandoned {
		s.abandoned += len(queue)
	}
	if err == strategies.ErrAbandoned && s.fault == losesOnDrain {
		s.inside -= len(queue)
		queue = nil
		s.endIfIdle()
	}
	s.mu.Unlock()
	for _, t := range queue {
		s.settle(t, strategies.Result{Err: err})
	}
}

func (s *reference) closeIntake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, w := range s.line {
		w.fate <- strategies.ErrClosed
	}
	s.line = nil
	s.endIfIdle()
}

func (s *reference) Drain(ctx context.Context) error {
	s.closeIntake()
	select {
	case <-s.idle:
		return nil
	case <-ctx.Done():
	}
	s.sweep(strategies.ErrAbandoned)
	s.cancel(strategies.ErrAbandoned)
	grace := time.NewTimer(strategies.DrainGrace)
	defer grace.Stop()
	select {
	case <-s.idle:
	case <-grace.C:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &strategies.DrainError{Abandoned: s.abandoned, Running: s.inside, Cause: ctx.Err()}
}
