package strategytest

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing/synctest"
	"time"
	"weak"

	"github.com/poolbench/poolbench/strategies"
)

// acceptsNoMore submits from many more producers than there is room, and then frees room for a few.
func acceptsNoMore(r *rig) error {
	if r.spec.Capacity == nil {
		return nil
	}
	release := make(chan struct{})
	var accepted, done atomic.Int64
	for _, j := range r.jobs(2*r.capacity()+64, r.held(release)) {
		r.spawn(func() {
			if r.submit(context.Background(), j) == nil {
				accepted.Add(1)
				<-j.done
				done.Add(1)
			}
		})
	}
	for range 4 {
		r.rest(warmUp)
		if n := int(accepted.Load() - done.Load()); n > r.capacity() {
			return fmt.Errorf("%d tasks are accepted and not done, where the capacity is %d", n,
				r.capacity())
		}
		if r.running.Load() > 0 {
			release <- struct{}{}
		}
	}
	return nil
}

func keepsNoTask(r *rig) error {
	const n = 64
	var kept [n]weak.Pointer[strategies.Task]
	dropped := make(chan struct{}, n)
	idle := start(r.scene, r.spec, context.Background(), r.p,
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) { dropped <- struct{}{} }))
	r.finally(func() { _ = idle.Drain(context.Background()) })
	r.step("tasks are submitted one by one")
	for i := range kept {
		kept[i] = submitNew(idle)
		<-dropped
	}
	synctest.Wait()
	return collected(kept[:], "that are done")
}

func submitNew(s strategies.Strategy) weak.Pointer[strategies.Task] {
	t := unrecorded()
	_ = s.Submit(context.Background(), t)
	return weak.Make(t)
}

func unrecorded() *strategies.Task {
	return &strategies.Task{Arg: noRecord,
		Run: func(context.Context, *strategies.Task) strategies.Result {
			return strategies.Result{}
		}}
}

func collected(tasks []weak.Pointer[strategies.Task], which string) error {
	runtime.GC()
	n := 0
	for _, t := range tasks {
		if t.Value() != nil {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("of %d tasks %s, the strategy still refers to %d", len(tasks), which, n)
	}
	return nil
}

func givenUpLeavesNothing(r *rig) error {
	r.fill(r.capacity(), r.held(nil))
	r.rest(warmUp)
	before := len(r.goroutines())
	var kept [50]weak.Pointer[strategies.Task]
	for i := range kept {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		r.step("a Submit is given up")
		given, returned := make(chan weak.Pointer[strategies.Task], 1), make(chan struct{}, 1)
		r.spawn(func() {
			t := unrecorded()
			given <- weak.Make(t)
			_ = r.s.Submit(ctx, t)
			returned <- struct{}{}
		})
		kept[i] = <-given
		r.rest(time.Millisecond)
		cancel()
		if len(returned) == 0 {
			return nil // the cancellation was ignored, which the clause Context reports
		}
		<-returned
	}
	if after := len(r.goroutines()); after > before {
		return fmt.Errorf("after %d Submits that were given up there are %d goroutines, before "+
			"them %d", len(kept), after, before)
	}
	return collected(kept[:], "whose Submit was given up")
}
