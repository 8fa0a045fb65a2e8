package strategytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// endless is the maximum number of attempts of a poison task, so an endless retry does not hang.
const endless = 10_000

func exhaustedOnce(r *rig) error {
	if !r.spec.Retries {
		return nil
	}
	const least = time.Minute
	early := make(chan time.Duration, 1)
	jobs := r.jobs(min(r.bound(), many)+1, nil)
	for _, j := range jobs {
		var last time.Duration // needs no lock, because attempts at one task do not overlap
		j.do = func(context.Context) strategies.Result {
			if now := r.clock(); j.starts.Load() > 1 && now-last < least {
				select {
				case early <- now - last:
				default:
				}
			}
			time.Sleep(time.Millisecond)
			last = r.clock()
			return strategies.Result{Err: errOwn, Retry: j.starts.Load() < endless, After: least}
		}
	}
	r.step("tasks are submitted that ask for another attempt every time")
	if err := r.offer(jobs); err != nil {
		return err
	}
	r.rest(2 * endless * least)
	for i, j := range jobs {
		if i > 0 && r.spec.Sheds && errors.Is(j.outcome.Err, strategies.ErrShed) {
			continue // it waited too long for a slot in which another task was retried
		}
		switch starts := j.starts.Load(); {
		case starts >= endless:
			return fmt.Errorf("task %d asked for another attempt every time, and got %d", j.name,
				starts)
		case starts < 2:
			return fmt.Errorf("task %d asked for another attempt, and was started %d times", j.name,
				starts)
		case !errors.Is(j.outcome.Err, strategies.ErrExhausted) && j.isDone():
			return fmt.Errorf(
				"task %d made %d attempts, all of which failed, and was done with: %v", j.name,
				starts, j.outcome.Err)
		}
		if err := j.checkOnce(j.starts.Load(), errOwn); err != nil {
			return withSubject("out of attempts", err)
		}
	}
	select {
	case wait := <-early:
		return fmt.Errorf("an attempt came %v after the last, which had asked for %v at least",
			wait, least)
	default:
		return nil
	}
}

func (r *rig) waitsToRetry() *job {
	j := r.jobs(1, returns(strategies.Result{Err: errOwn, Retry: true, After: horizon / 2}))[0]
	r.call(context.Background(), j)
	r.rest(warmUp) // a strategy that limits a rate may start it later
	return j
}

func waitingEndsWithContext(r *rig) error {
	if !r.spec.Retries {
		return nil
	}
	j := r.waitsToRetry()
	r.endNew()
	synctest.Wait()
	if !j.isDone() || !errors.Is(j.outcome.Err, context.Canceled) {
		return fmt.Errorf("a task waited for its next attempt when New's context was cancelled: "+
			"done: %v, error %v", j.isDone(), j.outcome.Err)
	}
	r.rest(horizon)
	return j.checkOnce(1, context.Canceled)
}

func waitingIsDrained(r *rig) error {
	if !r.spec.Retries {
		return nil
	}
	second := horizon / 2
	fresh := newRig(r.scene, r.spec, r.p)
	j := fresh.jobs(1, nil)[0]
	j.do = func(context.Context) strategies.Result {
		return strategies.Result{Err: errOwn, Retry: j.starts.Load() < 2, After: second}
	}
	fresh.call(context.Background(), j)
	d := fresh.drain(context.Background())
	r.rest(horizon)
	switch {
	case !d.isOver() || d.err() != nil || d.at != j.end() || d.at < second:
		return fmt.Errorf("drained while a task waited for an attempt at %v, which ended at %v: "+
			"returned %v at %v, error %v", second, j.end(), d.isOver(), d.at, d.err())
	case j.starts.Load() != 2:
		return fmt.Errorf("drained without a deadline while a task waited for its second "+
			"attempt, and it made %d", j.starts.Load())
	}

	j = r.waitsToRetry()
	begin := r.clock()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	d = r.drain(ctx)
	r.rest(deadline)
	var e *strategies.DrainError
	switch {
	case !j.isDone() || j.end()-begin != deadline ||
		!errors.Is(j.outcome.Err, strategies.ErrAbandoned):
		return fmt.Errorf("the deadline of Drain ended after %v while a task waited for its next "+
			"attempt: done: %v, after %v, error %v",
			deadline, j.isDone(), j.end()-begin, j.outcome.Err)
	case !d.isOver() || d.at-begin != deadline || !errors.As(d.err(), &e) ||
		e.Abandoned != 0 || e.Running != 0:
		// It has run, so it does not count as abandoned.
		return fmt.Errorf("the deadline of Drain ended after %v while one task waited for its "+
			"next attempt: returned %v, after %v, error %v",
			deadline, d.isOver(), d.at-begin, d.err())
	}
	r.rest(horizon)
	return cmp.Or(j.checkOnce(1, strategies.ErrAbandoned), r.leftover())
}
