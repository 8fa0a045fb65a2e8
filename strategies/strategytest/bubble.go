package strategytest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/strategies"
)

// A scene is the inside of a bubble: it starts goroutines whose panics are errors of the check, and
// knows what the check is waiting for.
type scene struct {
	mark    machine.Mark
	steps   atomic.Uint64 // what has happened so far; it cannot grow for ever
	doing   atomic.Pointer[string]
	failure atomic.Pointer[error]
	cleanup []func()
	start   time.Time
}

// A hangError says that what it found still goes on, so that the process is fit for nothing else.
type hangError struct{ error }

// inBubble runs check under a virtual clock and returns its error, or the one that says why it
// never came to an end: a deadlock, or no step in so much real time. What becomes of the bubble
// after the verdict is no part of it: a strategy that leaks fails the clause about leaks only.
func inBubble(patience time.Duration, check func(*scene) error) error {
	s := &scene{mark: machine.NewMark()}
	verdict := make(chan error, 2) // from the check, and from a deadlock during it or after
	judged, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if deadlock := recover(); deadlock != nil {
				verdict <- fmt.Errorf("waited for ever while %s (%v)%s", s.now(),
					deadlock, s.mark.Where())
			}
		}()
		s.mark.Set(context.Background())
		// The zero T is never told of a failure: it does nothing but carry the bubble (a test keeps
		// an eye on that), and must not be the goroutine that runs foreign code, because a Goexit
		// there would end the process.
		synctest.Test(new(testing.T), func(*testing.T) {
			over := make(chan struct{})
			go func() {
				defer close(over)
				s.start = time.Now()
				var err error
				defer func() {
					verdict <- s.first(err)
					for _, f := range s.cleanup {
						f()
					}
					// once all are drained, because one with a ticker has much to do in an hour
					time.Sleep(horizon)
				}()
				s.guard(func() { err = check(s) })
			}()
			<-over
		})
	}()
	var err error
	go func() { err = <-verdict; close(judged) }()
	if !machine.WaitForProgress(judged, patience, s.steps.Load, nil) {
		err := fmt.Errorf("nothing happened for %v of real time while %s: a goroutine spins or "+
			"waits for a mutex%s", patience, s.now(), s.mark.Where())
		verdict <- err // for the goroutine above
		return hangError{err}
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second): // something keeps it busy: leave it behind
	}
	return err
}

// guard calls f. That f panics, or ends its goroutine, is a failure of the check.
func (s *scene) guard(f func()) {
	returned := false
	defer func() {
		switch v := recover(); {
		case returned:
		case v != nil:
			s.fail(fmt.Errorf("panic while %s: %v\n%s", s.now(), v, machine.StacksHere().Foreign()))
		default:
			s.fail(fmt.Errorf("the goroutine that called the strategy was ended (runtime.Goexit) "+
				"while %s\n%s", s.now(), machine.StacksHere().Foreign()))
		}
	}()
	f()
	returned = true
}

// fail notes the first failure.
func (s *scene) fail(err error) { s.failure.CompareAndSwap(nil, &err) }

// first is the first failure, which goes before what the check says of itself.
func (s *scene) first(err error) error {
	if failure := s.failure.Load(); failure != nil {
		return *failure
	}
	return err
}

// spawn starts f in a goroutine.
func (s *scene) spawn(f func()) { go s.guard(f) }

// step says what the check does next.
func (s *scene) step(format string, args ...any) {
	s.steps.Add(1)
	doing := fmt.Sprintf(format, args...)
	s.doing.Store(&doing)
}

func (s *scene) now() string {
	if doing := s.doing.Load(); doing != nil {
		return *doing
	}
	return "calling the strategy"
}

// clock is the virtual time since the beginning of the check.
func (s *scene) clock() time.Duration { return time.Since(s.start) }

// rest lets virtual time pass until nothing moves at the end of it. What other goroutines wrote by
// then may be read.
func (s *scene) rest(d time.Duration) {
	s.steps.Add(1)
	time.Sleep(d)
	synctest.Wait()
}

// finally has f called when the verdict is in.
func (s *scene) finally(f func()) { s.cleanup = append(s.cleanup, f) }

// A trial is a check, and the limits and queues of the instances that it is for.
type trial struct {
	limits, queues []int
	check          func(*rig) error
}

// usual is a check of four limits and queues, which is enough for most.
func usual(check func(*rig) error) trial { return trial{[]int{1, 4}, []int{0, 8}, check} }

// try returns the first error of the trials. Each is made with an instance for every combination of
// limit and queue that spec admits, each in a bubble of its own.
func try(spec strategies.Spec, trials ...trial) error {
	for _, t := range trials {
		for _, limit := range t.limits {
			for _, queue := range t.queues {
				if queue > 0 && !spec.UsesQueue {
					continue
				}
				if err := t.with(spec, limit, queue); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (t trial) with(spec strategies.Spec, limit, queue int) error {
	values, err := param.Resolve(spec.Keys, nil)
	if err != nil {
		return fmt.Errorf("its own parameters have no defaults: %w", err)
	}
	p := strategies.Params{Limit: limit, Queue: queue, Values: values}
	for spec.Validate(p) != nil && p.Limit < limit+8 {
		p.Limit++ // a strategy may want a slot for each of its class pools
	}
	if err := spec.Validate(p); err != nil {
		return fmt.Errorf("it refuses its own defaults: %w", err)
	}
	patience, err := machine.Patience()
	if err != nil {
		return err
	}
	err = inBubble(patience, func(s *scene) error { return t.check(newRig(s, spec, p)) })
	if err != nil {
		return fmt.Errorf("limit %d, queue %d: %w", p.Limit, queue, err)
	}
	return nil
}

// when has a check pass over strategies that do not declare this.
func when(is func(strategies.Spec) bool, check func(*rig) error) func(*rig) error {
	return func(r *rig) error {
		if !is(r.spec) {
			return nil
		}
		return check(r)
	}
}

// What strategies declare: that Submit blocks when they are full, and how slots are given.
func blocks(s strategies.Spec) bool    { return !s.Sheds && s.Capacity != nil }
func inOrder(s strategies.Spec) bool   { return s.FIFO }
func conserves(s strategies.Spec) bool { return s.WorkConserving }

// together calls f in n goroutines, with the numbers from 0, and waits for all.
func (s *scene) together(n int, f func(i int)) {
	var busy sync.WaitGroup
	for i := range n {
		busy.Go(func() { s.guard(func() { f(i) }) })
	}
	busy.Wait()
}
