package strategytest

import (
	"context"
	"errors"
	"fmt"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func refusesOnceEnded(r *rig) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := r.call(ctx, r.jobs(1, returnAtOnce)[0])
	if !errors.Is(c.err(), context.Canceled) {
		return fmt.Errorf("submitted with a cancelled context: %s", c)
	}
	r.rest(horizon)
	return c.untouched()
}

// blockedSubmitReturns also checks that no room is lost.
func blockedSubmitReturns(r *rig) error {
	release := make(chan struct{})
	in, last := r.fill(r.capacity(), r.held(release))
	if last != nil {
		return nil // full too early, which another clause reports
	}
	const wait = 5 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	begin := r.clock()
	c := r.call(ctx, r.jobs(1, returnAtOnce)[0])
	if c.isOver() {
		return nil // not full, which another clause reports
	}
	r.rest(2 * wait)
	switch {
	case !c.isOver():
		return fmt.Errorf("the context of a blocked Submit ended after %v, and it still blocks",
			wait)
	case !errors.Is(c.err(), context.DeadlineExceeded) || c.at-begin != wait:
		return fmt.Errorf("the context of a blocked Submit ended after %v: after %v, %s",
			wait, c.at-begin, c)
	}
	close(release)
	next := r.jobs(2*len(in), lasts(time.Millisecond))
	r.step("tasks are submitted after a Submit that was given up")
	if err := r.offer(next); err != nil {
		return err
	}
	r.rest(horizon)
	if err := allCompleted(next); err != nil {
		return withSubject("after a Submit that was given up", err)
	}
	return c.untouched()
}

// The end of the context and the free room race. Exactly one of the two must win.
func cancelRacesRoom(r *rig) error {
	var calls []*call
	for range 100 {
		fresh := newRig(r.scene, r.spec, r.p)
		release := make(chan struct{})
		for _, j := range fresh.jobs(r.capacity(), fresh.held(release)) {
			calls = append(calls, fresh.call(context.Background(), j))
		}
		ctx, cancel := context.WithCancel(context.Background())
		racing := fresh.call(ctx, fresh.jobs(1, returnAtOnce)[0])
		calls = append(calls, racing)
		go cancel()
		close(release)
		synctest.Wait()
		if !racing.isOver() {
			return errors.New("a blocked Submit does not return when its context ends while " +
				"there is room")
		}
	}
	r.rest(horizon)
	for _, c := range calls {
		check := c.completed
		if !c.accepted() {
			check = c.untouched
		}
		if err := check(); err != nil {
			return fmt.Errorf("when a context ends while there is room, %s: %w", c, err)
		}
	}
	return nil
}

func tasksSeeNewsContext(r *rig) error {
	var value any
	var cause error
	j := r.jobs(1, func(ctx context.Context) strategies.Result {
		value = ctx.Value(mark{})
		res := lastsUnlessCancelled(horizon / 2)(ctx)
		cause = ctx.Err()
		return res
	})[0]
	if c := r.call(context.Background(), j); !c.accepted() {
		return nil
	}
	r.rest(warmUp)
	r.endNew()
	synctest.Wait()
	switch {
	case !j.isDone():
		return errors.New("a running task did not see that New's context has ended")
	case value != "New's":
		return errors.New("a task's context is not derived from New's")
	case !errors.Is(cause, context.Canceled):
		return fmt.Errorf("a running task saw %v when New's context was cancelled", cause)
	}
	return nil
}

func queuedAreDoneWithItsError(r *rig) error {
	in, _ := r.fill(min(r.capacity(), many), lasts(time.Second))
	begin := r.clock()
	r.endNew()
	synctest.Wait()
	for _, j := range in {
		started := j.starts.Load() > 0
		switch {
		case !started && !j.isDone():
			return errors.New("a queued task is not done when New's context has ended and a " +
				"running one ignores that")
		case !started && !errors.Is(j.outcome.Err, context.Canceled):
			return fmt.Errorf("a queued task was done with %v when New's context was cancelled",
				j.outcome.Err)
		}
	}
	r.rest(horizon)
	for _, j := range in {
		switch {
		case j.starts.Load() > 0 && j.begin() > begin:
			return fmt.Errorf("task %d was started %v after the end of New's context",
				j.name, j.begin()-begin)
		case !j.isDone():
			return fmt.Errorf("after the end of New's context, task %d was never done", j.name)
		}
	}
	return nil
}
