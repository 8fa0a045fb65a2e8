package strategytest

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/strategies"
)

// realLimit is how long a check may take on the wall clock before it is given up. The slowest takes under a second, so only a
// bubble whose clock has stopped gets here.
const realLimit = time.Minute

// A scene is the inside of a bubble: it starts goroutines whose panics are errors of the check, and knows what the check is
// waiting for.
type scene struct {
	mu      sync.Mutex
	doing   string
	failure error
	cleanup []func()
	start   time.Time
}

// inBubble runs check under a virtual clock and returns its error, or the one that says why it never came to an end: a
// deadlock, or limit of real time. What becomes of the bubble after the verdict is no part of it: a strategy that leaks fails the
// clause about leaks only.
func inBubble(limit time.Duration, check func(*scene) error) error {
	s := &scene{}
	verdict := make(chan error, 2) // from the check, and from a deadlock during it or after
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if deadlock := recover(); deadlock != nil {
				verdict <- fmt.Errorf("waited for ever while %s (%v)", s.now(), deadlock)
			}
		}()
		// The zero T is never told of a failure: it does nothing but carry the bubble (a test keeps an eye on that), and must not
		// be the goroutine that runs foreign code, because a Goexit there would end the process.
		synctest.Test(new(testing.T), func(*testing.T) {
			over := make(chan struct{})
			go func() {
				defer close(over)
				s.start = time.Now()
				err := errors.New("the goroutine that called the strategy was ended (runtime.Goexit)")
				defer func() {
					verdict <- err
					for _, f := range s.cleanup {
						f()
					}
					time.Sleep(horizon) // once all are drained, because one with a ticker has much to do in an hour
				}()
				err = s.guard(func() error { return check(s) })
			}()
			<-over
		})
	}()
	select {
	case err := <-verdict:
		select {
		case <-ended:
		case <-time.After(10 * time.Second): // something keeps it busy: leave it behind
		}
		return err
	case <-time.After(limit):
		return fmt.Errorf("no end after %v of real time while %s: is a mutex held during a wait, or a loop spinning?", limit, s.now())
	}
}

// guard calls f and makes an error of its panic; the first failure of another goroutine of the scene goes before f's own error.
func (s *scene) guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic while %s: %v\n%s", s.now(), v, debug.Stack())
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.failure != nil {
			err = s.failure
		}
	}()
	return f()
}

// spawn starts f in a goroutine whose panic fails the check.
func (s *scene) spawn(f func()) {
	go func() {
		err := s.guard(func() error { f(); return nil })
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.failure == nil {
			s.failure = err
		}
	}()
}

// step says what the check does next.
func (s *scene) step(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doing = fmt.Sprintf(format, args...)
}

func (s *scene) now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doing == "" {
		return "calling the strategy"
	}
	return s.doing
}

// clock is the virtual time since the beginning of the check.
func (s *scene) clock() time.Duration { return time.Since(s.start) }

// rest lets virtual time pass until nothing moves at the end of it. What other goroutines wrote by then may be read.
func (s *scene) rest(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// finally has f called when the verdict is in.
func (s *scene) finally(f func()) { s.cleanup = append(s.cleanup, f) }

// each runs check on an instance for every combination of limit and queue that spec admits, each in a bubble of its own.
func each(spec strategies.Spec, limits, queues []int, check func(*rig) error) error {
	for _, limit := range limits {
		for _, queue := range queues {
			if queue > 0 && !spec.UsesQueue {
				continue
			}
			values, err := param.Resolve(spec.Keys, nil)
			if err != nil {
				return fmt.Errorf("its own parameters have no defaults: %w", err)
			}
			p := strategies.Params{Limit: limit, Queue: queue, Values: values}
			for spec.Validate(p) != nil && p.Limit < limit+8 {
				p.Limit++ // a strategy may want a place for each of its lanes
			}
			if err := spec.Validate(p); err != nil {
				return fmt.Errorf("it refuses its own defaults: %w", err)
			}
			err = inBubble(realLimit, func(s *scene) error { return check(newRig(s, spec, p)) })
			if err != nil {
				return fmt.Errorf("limit %d, queue %d: %w", p.Limit, queue, err)
			}
		}
	}
	return nil
}

// all returns the first error of checks, which are tried in turn.
func all(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
