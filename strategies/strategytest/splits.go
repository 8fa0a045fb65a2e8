package strategytest

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// This file checks sub-tasks, as part of the clauses Bound, Once and WorkConserving.

type family struct {
	parent *job
	parts  []*job
	ended  atomic.Int64 // virtual time at which the last sub-task returned, in ns
}

// The sub-tasks count as waiting from the request to their start.
func (r *rig) family(n int) *family {
	f := &family{parts: r.jobs(n, nil)}
	for _, part := range f.parts {
		part.do = func(context.Context) strategies.Result {
			time.Sleep(time.Millisecond)
			// the clock never goes back, so the last store is the maximum
			f.ended.Store(int64(r.clock()))
			return strategies.Result{}
		}
	}
	f.parent = r.jobs(1, func(ctx context.Context) strategies.Result {
		r.waiting.Add(int64(n))
		return splits(f.parts...)(ctx)
	})[0]
	return f
}

func splits(parts ...*job) act {
	var tasks []*strategies.Task
	for _, part := range parts {
		tasks = append(tasks, &part.Task)
	}
	return returns(strategies.Result{Split: tasks})
}

func boundHoldsInSplits(r *rig) error {
	for range 2*r.bound() + 1 {
		f := r.family(5)
		r.spawn(func() { _ = r.submit(context.Background(), f.parent) })
	}
	r.rest(horizon)
	return withSubject("tasks with sub-tasks", r.underBound())
}

// A task is done when its last sub-task returns or, if Spec.Stages, after the stages behind it.
func onceWithItsLastPart(r *rig) error {
	const n = 5
	f := r.family(n)
	r.step("a task with sub-tasks is submitted")
	if err := r.offer([]*job{f.parent}); err != nil {
		return err
	}
	r.rest(horizon)
	if err := f.parent.checkOnce(1, nil); err != nil {
		return withSubject("a task with sub-tasks", err)
	}
	begin, over := f.parent.begin(), time.Duration(f.ended.Load())
	switch {
	case f.parent.end() < over || f.parent.end() > over && r.spec.Stages == nil:
		return fmt.Errorf("the last sub-task returned after %v, and its task was done after %v",
			over-begin, f.parent.end()-begin)
	case !r.spec.Splits && r.peak.Load() > 1:
		return fmt.Errorf("declared not to split, but %d sub-tasks of one task ran at once",
			r.peak.Load())
	case !r.spec.Splits && over-begin != n*time.Millisecond:
		return fmt.Errorf("%d sub-tasks of 1ms took %v in the place of their task, which nobody "+
			"else wanted", n, over-begin)
	}
	return nil
}

func splitsSideBySide(r *rig) error {
	if !r.spec.Splits {
		return nil
	}
	for _, families := range []int{1, 2} {
		for _, n := range []int{1, 8, 25} {
			fresh := newRig(r.scene, r.spec, r.p)
			var jobs []*job
			for range families {
				jobs = append(jobs, fresh.family(n).parent)
			}
			took, err := fresh.makespan(jobs)
			if err != nil {
				return fmt.Errorf("%d tasks of %d sub-tasks: %w", families, n, err)
			}
			rounds := math.Ceil(float64(families*n) / float64(fresh.bound()))
			if want := time.Duration(rounds) * time.Millisecond; took > want {
				return fmt.Errorf("%d tasks of %d sub-tasks of 1ms took %v instead of %v",
					families, n, took, want)
			}
		}
	}
	return nil
}
