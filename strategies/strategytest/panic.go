package strategytest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

const panicValue = "a task that panics"

func panics(context.Context) strategies.Result { panic(panicValue) }

func exits(context.Context) strategies.Result {
	runtime.Goexit()
	return strategies.Result{}
}

// A badEnd is a way in which a task ends without returning.
type badEnd struct {
	act  act
	did  string
	next string // advice to the author of a strategy
}

var (
	panicked = badEnd{panics, "panicked",
		"A deferred function around Task.Run must recover, free the slot, and call Done with a " +
			"*PanicError. The building blocks of package engine do this."}
	exited = badEnd{exits, "called runtime.Goexit",
		"Task.Run then does not return, so only deferred functions can free the slot and call Done " +
			"with ErrGoexit. The building blocks of package engine do this. If Goexit also ended a " +
			"goroutine of the pool, replace it, with engine.Executor in Lost."}
)

func panicIsContained(r *rig) error {
	return r.contains(panicked, func(err error) error {
		var e *strategies.PanicError
		switch {
		case !errors.As(err, &e):
			return fmt.Errorf("a task that panicked was done with %v instead of a *PanicError", err)
		case e.Value != panicValue:
			return fmt.Errorf("a task panicked with %q, and its PanicError has the value %v",
				panicValue, e.Value)
		case !strings.Contains(string(e.Stack), "strategytest.panics"):
			return fmt.Errorf(
				"the stack of a PanicError does not show where the task panicked:\n%s", e.Stack)
		}
		return nil
	})
}

func goexitIsContained(r *rig) error {
	return r.contains(exited, func(err error) error {
		if !errors.Is(err, strategies.ErrGoexit) {
			return fmt.Errorf("a task that called runtime.Goexit was done with %v instead of "+
				"ErrGoexit", err)
		}
		return nil
	})
}

// contains lets two tasks per slot end badly. The instance must then have as many slots as a new
// one.
func (r *rig) contains(bad badEnd, check func(error) error) error {
	if err := r.containsTasks(bad, check); err != nil {
		return fmt.Errorf("%w. %s", err, bad.next)
	}
	return nil
}

func (r *rig) containsTasks(bad badEnd, check func(error) error) error {
	slots := newRig(r.scene, r.spec, r.p).slots()
	var ended []*job
	for _, j := range r.jobs(2*slots, bad.act) {
		c := r.call(context.Background(), j)
		r.rest(warmUp)
		switch {
		case !c.isOver():
			return fmt.Errorf("after %d tasks that %s no slot is left: %s", len(ended), bad.did, c)
		case c.err() != nil:
			return fmt.Errorf("after %d tasks that %s, one is refused: %w", len(ended), bad.did,
				c.err())
		}
		ended = append(ended, j)
	}
	for _, j := range ended {
		if !j.isDone() {
			return fmt.Errorf("task %d, which %s, is not done", j.name, bad.did)
		}
		if err := check(j.outcome.Err); err != nil {
			return err
		}
	}
	if left := r.slots(); left != slots {
		return fmt.Errorf("after %d tasks that %s %d slots are left of %d", len(ended), bad.did,
			left, slots)
	}
	return nil
}

// slots returns the number of tasks that run at once when the instance is full or has 32 tasks.
func (r *rig) slots() int {
	r.fill(32, r.held(nil))
	r.rest(warmUp)
	return int(r.running.Load())
}

func leavesNoGoroutines(bad badEnd) func(*rig) error {
	return func(r *rig) error {
		usual := newRig(r.scene, r.spec, r.p).goroutinesAfter(returnAtOnce)
		if left := r.goroutinesAfter(bad.act); left > 2*usual {
			return fmt.Errorf("after tasks that %s, and Drain: %w", bad.did, r.leftover())
		}
		return nil
	}
}

func (r *rig) goroutinesAfter(do act) int {
	r.fill(min(r.capacity(), 20), do)
	r.drain(context.Background())
	r.rest(warmUp)
	return len(r.goroutines())
}

func otherTasksComplete(r *rig) error {
	good := r.jobs(20, lasts(time.Millisecond))
	bad := r.jobs(20, panics)
	r.step("tasks are offered, half of which panic")
	for i := range good {
		if err := r.offer([]*job{good[i], bad[i]}); err != nil {
			return err
		}
	}
	r.rest(horizon)
	return withSubject("together with tasks that panic", allCompleted(good))
}
