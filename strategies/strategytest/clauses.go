package strategytest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// OneTask runs a single task before the clauses.
func OneTask(spec strategies.Spec) error {
	return durably(spec, 1, nil, func(x *instance) error {
		if err := x.submit(0, 1); err != nil {
			return err
		}
		return allOf(1)(x)
	})
}

// Bound fills all slots and checks that no more tasks start.
func Bound(spec strategies.Spec) error {
	const limit, n = 3, 24
	return durably(spec, limit, nil, func(x *instance) error {
		full := make(chan struct{})
		x.do = func(context.Context, uint64) strategies.Result {
			<-full
			return strategies.Result{}
		}
		if err := x.submit(0, n); err != nil {
			return err
		}
		err := x.waitUntil("as many tasks run as may", func() bool { return x.running >= limit })
		time.Sleep(20 * time.Millisecond) // time for a task above the bound to start
		close(full)
		if err != nil {
			return err
		}
		if err := x.awaitDone(n, onceEach, noError); err != nil {
			return err
		}
		if peak := x.snapshot().peak; peak > limit {
			return fmt.Errorf("%d tasks ran at once, where the bound is %d", peak, limit)
		}
		return nil
	})
}

var errDurable = errors.New("the task's own error")

// Once uses several submitters. Their tasks fail, succeed after a retry, or use up their attempts.
func Once(spec strategies.Spec) error {
	const submitters, each = 4, 40
	return durably(spec, 4, nil, func(x *instance) error {
		attempts := x.attempts()
		x.do = func(_ context.Context, id uint64) strategies.Result {
			x.mu.Lock()
			defer x.mu.Unlock()
			switch {
			case id%10 == 1:
				return strategies.Result{Err: errDurable}
			case id == 2 && x.runs[id] < 2, id == 3:
				return strategies.Result{Err: errDurable, Retry: true}
			}
			return strategies.Result{}
		}
		if err := x.submitFrom(submitters, each); err != nil {
			return err
		}
		runs := func(id uint64) int {
			switch id {
			case 2:
				return min(2, attempts)
			case 3:
				return attempts
			}
			return 1
		}
		return x.awaitDone(submitters*each, runs, func(id uint64) error {
			switch {
			case id == 2 && attempts >= 2:
				return nil
			case id%10 == 1, id == 2, id == 3:
				return errDurable
			}
			return nil
		})
	})
}

// Many submits enough tasks to detect the loss of one in several hundred.
func Many(spec strategies.Spec) error {
	const submitters, each = 8, 300
	const n = submitters * each
	return durably(spec, 4, nil, func(x *instance) error {
		if err := x.submitFrom(submitters, each); err != nil {
			return err
		}
		waited := x.waitUntil("all tasks are done", func() bool { return len(x.dones) >= n })
		seen := x.snapshot()
		var lost, begun int
		for id := range uint64(n) {
			_, failed := errors.AsType[*strategies.StoreError](seen.results[id].Err)
			if seen.dones[id] == 0 || failed {
				lost++
				begun += min(seen.runs[id], 1)
			}
		}
		if lost > 0 {
			return fmt.Errorf("%d of %d accepted tasks are lost, one in %d; %d of them had begun",
				lost, n, n/lost, begun)
		}
		if waited != nil {
			return waited
		}
		return x.awaitDone(n, onceEach, noError)
	})
}

// Context ends the context of a Submit, and that of the instance.
func Context(spec strategies.Spec) error {
	const limit, n = 2, 12
	return durably(spec, limit, nil, func(x *instance) error {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if err := x.s.Submit(ended, x.task(100)); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("a Submit with an ended context returned %v", err)
		}
		if err := x.hold(n); err != nil {
			return err
		}
		x.endNew()
		if err := x.awaitDone(n, nil, func(uint64) error { return context.Canceled }); err != nil {
			return err
		}
		if ran := len(x.snapshot().runs); ran != limit {
			return fmt.Errorf("%d tasks ran, want %d: the others were done with the error of the "+
				"instance's context", ran, limit)
		}
		return nil
	})
}

// Drain checks that all tasks are done and acknowledged, and that a Drain at its deadline returns
// the number of abandoned tasks.
func Drain(spec strategies.Spec) error {
	const limit, n = 2, 40
	queue := newQueue()
	if err := durably(spec, limit, resumed(spec, queue), func(x *instance) error {
		if err := x.submit(0, n); err != nil {
			return err
		}
		if err := x.drainWithoutError(); err != nil {
			return err
		}
		if done := len(x.snapshot().dones); done != n {
			return fmt.Errorf("a Drain returned, and of %d tasks %d are done", n, done)
		}
		return x.awaitDone(n, onceEach, noError)
	}); err != nil {
		return err
	}
	if again := resumed(spec, queue); again != nil {
		if err := durably(spec, limit, again, nothingComes); err != nil {
			return err
		}
	}
	last := resumed(spec, queue)
	if last != nil {
		last.Remove = true
	}
	return durably(spec, limit, last, func(x *instance) error {
		if err := x.hold(n); err != nil {
			return err
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		left, ok := errors.AsType[*strategies.DrainError](x.s.Drain(ended))
		if !ok || left.Abandoned != n-limit || left.Running != 0 {
			return fmt.Errorf("a Drain with an ended context returned %v, want %d tasks abandoned",
				left, n-limit)
		}
		return x.awaitDone(n, nil, func(uint64) error { return strategies.ErrAbandoned })
	})
}

func nothingComes(x *instance) error {
	time.Sleep(x.lease() * 3 / 2) // time for a redelivery of an unacknowledged message
	const probe = 1_000_000
	if err := x.submit(probe, probe+1); err != nil {
		return err
	}
	if err := x.awaitDone(1, nil, noError); err != nil {
		return err
	}
	if ran := len(x.snapshot().runs); ran != 1 {
		return fmt.Errorf("%d tasks that were done before a Drain that returned nil were "+
			"delivered again", ran-1)
	}
	return nil
}

// Closed submits after a Drain, and drains twice.
func Closed(spec strategies.Spec) error {
	return durably(spec, 2, nil, func(x *instance) error {
		if err := x.submit(0, 10); err != nil {
			return err
		}
		if err := x.drainWithoutError(); err != nil {
			return err
		}
		if err := x.s.Submit(context.Background(), x.task(10)); !errors.Is(err,
			strategies.ErrClosed) {
			return fmt.Errorf("a Submit after Drain returned %v", err)
		}
		if err := x.drainWithoutError(); err != nil {
			return fmt.Errorf("twice: %w", err)
		}
		return x.awaitDone(10, onceEach, noError)
	})
}
