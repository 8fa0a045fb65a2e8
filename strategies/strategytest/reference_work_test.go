package strategytest_test

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

const attempts = 3

func (s *reference) work(e *entry, slot int) {
	r := s.tries(e.task, &slot)
	_, panicked := r.Err.(*strategies.PanicError)
	leak := s.fault == leaksSlotOnPanic && panicked || s.fault == leaksSlotOnGoexit &&
		r.Err == strategies.ErrGoexit
	s.mu.Lock()
	if s.fault == stallsSeldom && s.accepted%700 == 0 {
		s.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
		s.mu.Lock()
	}
	if !leak {
		s.leave(e, slot)
	}
	if s.fault == slotTwiceOnPanic && panicked {
		s.pools[slot].running.Add(-1)
	}
	if s.fault == dealsInTurn {
		s.busy[s.dealt[e.task]] = false
		delete(s.dealt, e.task)
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
	s.settle(e.task, r)
}

// tries runs all attempts of t in its slot, until t succeeds, none is left or the context ends.
func (s *reference) tries(t *strategies.Task, slot *int) strategies.Result {
	if s.ctx.Err() != nil && s.fault != deafToNew {
		r := s.given()
		if r.Err == strategies.ErrAbandoned {
			s.mu.Lock()
			s.abandoned++
			s.mu.Unlock()
		}
		return r
	}
	for made := 1; ; made++ {
		r := s.steps(t, slot)
		again := r.Retry && (s.kind.retries || s.fault == retriesUnasked && made == 1)
		switch {
		case !again:
			return r
		case made == attempts && s.fault != retriesForever:
			return strategies.Result{Err: &strategies.ExhaustedError{Attempts: made, Last: r.Err}}
		}
		if r.After <= 0 {
			if s.ctx.Err() != nil {
				return s.given()
			}
			continue
		}
		timer := time.NewTimer(r.After)
		select {
		case <-timer.C:
		case <-s.ctx.Done():
			timer.Stop()
			return s.given()
		}
	}
}

// given returns the result of a task that is given up at the end of ctx.
func (s *reference) given() strategies.Result {
	return strategies.Result{Err: context.Cause(s.ctx)}
}

// steps runs all steps of t. slot changes when t frees its slot between steps.
func (s *reference) steps(t *strategies.Task, slot *int) strategies.Result {
	for {
		if *slot == nowhere {
			*slot = <-s.queueAgain(t, s.fault == jumpsTheLine)
			if s.ctx.Err() != nil {
				return s.given()
			}
		}
		r := s.step(t)
		if r.Err == nil && len(r.Split) > 0 {
			part := s.parts(t, r.Split, slot)
			r.Err, r.Retry, r.After = part.Err, part.Retry, part.After
		}
		r.Split = nil
		if r.Err != nil || !r.More {
			return r
		}
		if s.kind.turns {
			s.giveBack(slot)
		}
	}
}

// inside is the context key for a channel that is closed at the end of the task.
type inside struct{}

// step calls Run in its own goroutine, which a panic or Goexit may end.
func (s *reference) step(t *strategies.Task) strategies.Result {
	done, ended := make(chan strategies.Result, 1), make(chan struct{})
	go func() {
		r, returned := strategies.Result{}, false
		defer func() {
			if (s.fault == panicsThrough || s.fault == panicsThroughAndRemembers) && !returned {
				return
			}
			if v := recover(); v != nil {
				r.Err = &strategies.PanicError{Value: v, Stack: debug.Stack()}
			} else if !returned {
				r.Err = strategies.ErrGoexit
			}
			done <- r
		}()
		ctx := s.ctx
		if s.fault == waitsForParent {
			ctx = context.WithValue(ctx, inside{}, ended)
		}
		r = t.Run(ctx, t)
		returned = true
	}()
	r := <-done
	close(ended)
	return r
}

func (s *reference) parts(
	t *strategies.Task, all []*strategies.Task, slot *int,
) (first strategies.Result) {
	if !s.kind.splits {
		for _, part := range all {
			if r := s.steps(part, slot); r.Err != nil {
				return r
			}
		}
		return first
	}
	results := make(chan strategies.Result, len(all))
	if s.fault != partsNeedNoSlot {
		s.giveBack(slot) // t needs no slot while its sub-tasks run
	}
	for i := range all {
		part, at := all[len(all)-1-i], nowhere // in reverse, because each goes to the head
		if s.fault == partsNeedNoSlot {
			at = *slot
			go func() { results <- s.steps(part, &at) }()
			continue
		}
		grant := s.queueAgain(part, true)
		go func() {
			r := s.given()
			if at = <-grant; s.ctx.Err() == nil {
				r = s.steps(part, &at)
			}
			s.giveBack(&at)
			results <- r
		}()
	}
	for range all {
		r := <-results
		if s.fault == firstPartSettles {
			return r
		}
		if first.Err == nil {
			first = r
		}
	}
	return first
}

func (s *reference) giveBack(slot *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *slot != nowhere {
		s.pools[*slot].running.Add(-1)
		*slot = nowhere
		s.dispatch()
	}
}

// queueAgain puts a started task or a sub-task in the queue. The channel receives its slot, or
// nowhere after the end of the context.
func (s *reference) queueAgain(t *strategies.Task, head bool) <-chan int {
	e := &entry{task: t, pool: s.poolOf(t), grant: make(chan int, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		e.grant <- nowhere
		return e.grant
	case head:
		s.queue = append([]*entry{e}, s.queue...)
	default:
		s.queue = append(s.queue, e)
	}
	s.dispatch()
	return e.grant
}
