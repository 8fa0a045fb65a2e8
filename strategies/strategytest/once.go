package strategytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

var errOwn = errors.New("the task's own error")

func onceUnderManyProducers(r *rig) error {
	random := rand.New(rand.NewPCG(1, 1))
	jobs := r.jobs(16*64, nil)
	refused := make([]error, len(jobs))
	want := make([]error, len(jobs))
	for i, j := range jobs {
		switch random.IntN(4) {
		case 0:
			j.do = returnAtOnce
		case 1:
			j.do = yield
		case 2:
			j.do = lasts(time.Duration(random.IntN(1000)) * time.Microsecond)
		case 3:
			j.do, want[i] = returns(strategies.Result{Err: errOwn}), errOwn
		}
	}
	r.step("16 producers submit tasks")
	r.together(16, func(first int) {
		for i := first; i < len(jobs); i += 16 {
			refused[i] = r.submit(context.Background(), jobs[i])
		}
	})
	r.rest(horizon)

	for i, j := range jobs {
		if refused[i] != nil {
			if err := j.untouched(); err != nil {
				return err
			}
			continue
		}
		starts := int32(1)
		if r.spec.Trips && j.starts.Load() == 0 { // the breaker was open
			starts, want[i] = 0, strategies.ErrShed
		}
		if err := j.checkOnce(starts, want[i]); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) checkOnce(starts int32, want error) error {
	switch {
	case j.dones.Load() != 1:
		return fmt.Errorf("task %d was accepted and done %d times", j.name, j.dones.Load())
	case j.starts.Load() != starts:
		return fmt.Errorf("task %d was started %d times, want %d", j.name, j.starts.Load(), starts)
	case j.early.Load():
		return fmt.Errorf("task %d was done while it was still running", j.name)
	case !errors.Is(j.outcome.Err, want): // errors.Is(err, nil) is true only for nil
		return fmt.Errorf("task %d was done with the error %v instead of its own: %v", j.name,
			j.outcome.Err, want)
	}
	return nil
}

// Failing tasks use separate instances, because a strategy may cancel others on failure.
func onceWithRequests(r *rig) error {
	// Sub-tasks 0 and 1 belong to the parent, the others to sub-task 0.
	parts := r.jobs(5, lasts(time.Millisecond))
	parts[0].do = splits(parts[2], parts[3])
	split, failing := r.jobs(1, splits(parts[0], parts[1]))[0], r.jobs(1, splits(parts[4]))[0]
	steps, retried := r.jobs(1, nil)[0], r.jobs(1, nil)[0]
	steps.do = func(context.Context) strategies.Result {
		return strategies.Result{More: steps.starts.Load() < 3}
	}
	parts[4].do = returns(strategies.Result{Err: errOwn})
	retried.do = func(context.Context) strategies.Result {
		if retried.starts.Load() == 1 {
			return strategies.Result{Err: errOwn, Retry: true}
		}
		return strategies.Result{}
	}

	r.step("tasks with steps, sub-tasks and a retry are submitted")
	if err := r.offer([]*job{steps, split}); err != nil {
		return err
	}
	for _, j := range []*job{failing, retried} {
		if err := newRig(r.scene, r.spec, r.p).offer([]*job{j}); err != nil {
			return err
		}
	}
	r.rest(horizon)
	attempts, last := int32(1), errOwn
	if r.spec.Retries {
		attempts, last = 2, nil
	}
	if err := cmp.Or(withSubject("a task of three steps", steps.checkOnce(3, nil)),
		withSubject("a task with sub-tasks", split.checkOnce(1, nil)),
		withSubject("a task with a failing sub-task", failing.checkOnce(1, errOwn)),
		withSubject("a task that asks for another attempt", retried.checkOnce(attempts, last))); err != nil {
		return err
	}
	for _, part := range parts {
		switch {
		case part.starts.Load() != 1:
			return fmt.Errorf("sub-task %d was started %d times", part.name, part.starts.Load())
		case part.dones.Load() != 0:
			return fmt.Errorf("the sink was notified of sub-task %d, which is a part of its parent",
				part.name)
		case part.name < 4 && part.begin() > split.end():
			return fmt.Errorf("the parent was done at %v and sub-task %d started at %v",
				split.end(), part.name, part.begin())
		}
	}
	return nil
}

func withSubject(subject string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", subject, err)
	}
	return nil
}

// If the strategy declares hedging, a long task gets at most one concurrent second attempt and ends
// after both.
func hedgesOnce(r *rig) error {
	const short, long = 400, 20
	jobs := r.jobs(short+long, lasts(time.Millisecond))
	for _, j := range jobs[short:] {
		j.do = lasts(time.Second)
	}
	beside := int32(0)
	r.step("%d short tasks and %d long ones come one after another", short, long)
	for _, j := range jobs {
		if err := r.offer([]*job{j}); err != nil {
			return err
		}
		<-j.done
		if err := j.checkOnce(1, nil); err != nil {
			return err
		}
		if j.secondAttempts.Load() > 1 {
			return fmt.Errorf("task %d was run %d times in parallel with its first attempt", j.name,
				j.secondAttempts.Load())
		}
		beside += j.secondAttempts.Load()
	}
	if r.spec.Hedges && beside == 0 {
		return fmt.Errorf("after %d tasks of 1ms none of %d of 1s was run a second time in parallel with the "+
			"first, although it declares that it hedges", short, long)
	}
	return nil
}

func onceEachTimeWhenReused(r *rig) error {
	const clients, rounds = 4, 100
	type client struct {
		strategies.Task
		runs int // not atomic, so -race detects a run that overlaps the client
		done chan strategies.Result
	}
	count := func(_ context.Context, t *strategies.Task) strategies.Result {
		if c, ok := t.Arg.(*client); ok && (t == &c.Task || !r.spec.Hedges) {
			c.runs++
		}
		runtime.Gosched()
		return strategies.Result{}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	again := start(r.scene, r.spec, ctx, r.p,
		strategies.SinkFunc(func(t *strategies.Task, res strategies.Result) {
			if t == nil {
				return // other checks report Done calls that should not happen
			}
			if c, ok := t.Arg.(*client); ok {
				select {
				case c.done <- res:
				default:
				}
			}
		}))
	all := make([]*client, clients)
	r.step("clients submit their tasks again and again")
	r.together(clients, func(i int) {
		c := &client{done: make(chan strategies.Result, 1)}
		c.Task = strategies.Task{Run: count, Arg: c}
		all[i] = c
		for range rounds {
			for again.Submit(ctx, &c.Task) != nil { // retry after it was shed
				time.Sleep(time.Millisecond)
			}
			<-c.done
		}
	})
	_ = again.Drain(ctx)
	for i, c := range all {
		if c.runs != rounds {
			return fmt.Errorf("the task of client %d was submitted %d times and run %d times",
				i, rounds, c.runs)
		}
	}
	return nil
}
