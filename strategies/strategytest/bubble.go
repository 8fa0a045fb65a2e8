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

// scene is the inside of a bubble. It turns panics of the bubble's goroutines into errors of the
// check.
type scene struct {
	mark    machine.Mark
	steps   atomic.Uint64 // number of events so far; detects a check that makes no progress
	doing   atomic.Pointer[string]
	failure atomic.Pointer[error]
	cleanup []func()
	start   time.Time
}

// hangError means that the hang continues, so the process cannot run other clauses.
type hangError struct{ error }

// inBubble runs check under a virtual clock. A deadlock, or no step within patience of real time,
// is an error too. Leaks after the verdict fail only the clause about leaks.
func inBubble(patience time.Duration, check func(*scene) error) error {
	s := &scene{mark: machine.NewMark()}
	verdict := make(chan error, 2) // room for the verdict of the check and for a deadlock
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
		// The zero T only starts the bubble and never receives a failure. The strategy must not run
		// in its goroutine, because a Goexit there would end the process.
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
					// after all cleanup, because a ticker causes many events in an hour
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
		verdict <- err // for the goroutine that waits for the verdict
		return hangError{err}
	}
	select {
	case <-ended:
	// the bubble does not end, so its goroutines are left behind
	case <-time.After(10 * time.Second):
	}
	return err
}

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

func (s *scene) fail(err error) { s.failure.CompareAndSwap(nil, &err) }

func (s *scene) first(err error) error {
	if failure := s.failure.Load(); failure != nil {
		return *failure
	}
	return err
}

func (s *scene) spawn(f func()) { go s.guard(f) }

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

func (s *scene) clock() time.Duration { return time.Since(s.start) }

// rest lets virtual time pass until all goroutines are blocked. Data written by them may then be
// read.
func (s *scene) rest(d time.Duration) {
	s.steps.Add(1)
	time.Sleep(d)
	synctest.Wait()
}

func (s *scene) finally(f func()) { s.cleanup = append(s.cleanup, f) }

type trial struct {
	limits, queues []int
	check          func(*rig) error
}

func usual(check func(*rig) error) trial { return trial{[]int{1, 4}, []int{0, 8}, check} }

// try runs each trial in its own bubble for every combination of limit and queue that spec accepts.
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
		p.Limit++ // the strategy may need one slot per class pool
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

func when(is func(strategies.Spec) bool, check func(*rig) error) func(*rig) error {
	return func(r *rig) error {
		if !is(r.spec) {
			return nil
		}
		return check(r)
	}
}

func blocks(s strategies.Spec) bool    { return !s.Sheds && s.Capacity != nil }
func inOrder(s strategies.Spec) bool   { return s.FIFO }
func conserves(s strategies.Spec) bool { return s.WorkConserving }

func (s *scene) together(n int, f func(i int)) {
	var busy sync.WaitGroup
	for i := range n {
		busy.Go(func() { s.guard(func() { f(i) }) })
	}
	busy.Wait()
}
