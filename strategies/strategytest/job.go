package strategytest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// job is a task with a record of its runs.
type job struct {
	strategies.Task
	given          shape // its fields when it was submitted
	rig            *rig
	name           int
	do             act
	starts         atomic.Int32 // calls of Run
	inside         atomic.Int32 // calls of Run that have not returned
	dones          atomic.Int32 // calls of Done
	early          atomic.Bool  // whether it was done while it ran
	secondAttempts atomic.Int32 // second attempts concurrent with the first

	started, ended atomic.Int64      // virtual time of the last start and of the first Done, in ns
	outcome        strategies.Result // valid when done
	done           chan struct{}     // closed by the first Done
}

type act func(context.Context) strategies.Result

func (r *rig) jobs(n int, do act) []*job {
	all := make([]*job, n)
	for i := range all {
		all[i] = &job{rig: r, name: i, do: do, done: make(chan struct{})}
		all[i].Task = strategies.Task{Run: runJob, Arg: all[i]}
		if r.spec.KeyOrder { // only the clause KeyOrder uses keys
			all[i].Tenant = -1
		}
	}
	return all
}

type shape struct {
	run              uintptr
	weight           int64
	class            strategies.Class
	priority, tenant int32
	size, deadline   time.Duration
}

func shapeOf(t *strategies.Task) shape {
	return shape{reflect.ValueOf(t.Run).Pointer(), t.Weight, t.Class, t.Priority, t.Tenant,
		t.Size, t.Deadline}
}

// noRecord is the Arg of tasks without a job.
var noRecord any = new(int)

func runJob(ctx context.Context, t *strategies.Task) strategies.Result {
	j, ok := t.Arg.(*job)
	if !ok {
		return strategies.Result{Err: errors.New("the strategy has changed Task.Arg")}
	}
	if t != &j.Task && j.rig.spec.Hedges {
		return j.runSecondAttempt(ctx)
	}
	starts := j.starts.Add(1)
	if starts == 1 {
		j.rig.waiting.Add(-1)
	}
	if starts < endless {
		j.rig.steps.Add(1)
	}
	j.started.Store(int64(j.rig.clock()))
	defer j.enter()()
	return j.do(ctx)
}

func (j *job) enter() (leave func()) {
	r := j.rig
	j.inside.Add(1)
	running := r.running.Add(1)
	for peak := r.peak.Load(); running > peak && !r.peak.CompareAndSwap(peak, running); {
		peak = r.peak.Load()
	}
	return func() {
		r.running.Add(-1)
		j.inside.Add(-1)
	}
}

// A second attempt lets the first one win. It fails after a minute, because a strategy may wait for
// it if the first attempt failed.
func (j *job) runSecondAttempt(ctx context.Context) strategies.Result {
	j.secondAttempts.Add(1)
	j.rig.steps.Add(1)
	defer j.enter()()
	if r := lastsUnlessCancelled(time.Minute)(ctx); r.Err != nil {
		return r
	}
	return strategies.Result{Err: errOwn}
}

func (j *job) isDone() bool { return isClosed(j.done) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// begin returns the virtual time of the last start, and end that of the first Done.
func (j *job) begin() time.Duration { return time.Duration(j.started.Load()) }
func (j *job) end() time.Duration   { return time.Duration(j.ended.Load()) }

func (j *job) completed() error {
	switch {
	case j.dones.Load() == 0:
		return fmt.Errorf("task %d was accepted, started %d times, and never done",
			j.name, j.starts.Load())
	case j.starts.Load() != 1:
		return fmt.Errorf("task %d was started %d times and done with error %v", j.name,
			j.starts.Load(), j.outcome.Err)
	case j.outcome.Err != nil:
		return fmt.Errorf("task %d was done with error: %w", j.name, j.outcome.Err)
	}
	return nil
}

func allCompleted(jobs []*job) error {
	for _, j := range jobs {
		if err := j.completed(); err != nil {
			return err
		}
	}
	return nil
}

func started(jobs []*job) []*job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.starts.Load() == 0 })
}

func lastEnd(jobs []*job) (last time.Duration) {
	for _, j := range jobs {
		last = max(last, j.end())
	}
	return last
}

func (j *job) untouched() error {
	if j.starts.Load() != 0 || j.dones.Load() != 0 {
		return fmt.Errorf("task %d was refused, but started %d times and done %d times", j.name,
			j.starts.Load(), j.dones.Load())
	}
	return nil
}

func returnAtOnce(context.Context) strategies.Result { return strategies.Result{} }

func returns(res strategies.Result) act {
	return func(context.Context) strategies.Result { return res }
}

func lasts(d time.Duration) act {
	return func(context.Context) strategies.Result {
		time.Sleep(d)
		return strategies.Result{}
	}
}

// If its context ends earlier, the act returns the cause.
func lastsUnlessCancelled(d time.Duration) act {
	return func(ctx context.Context) strategies.Result {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return strategies.Result{}
		case <-ctx.Done():
			return strategies.Result{Err: context.Cause(ctx)}
		}
	}
}

func (r *rig) held(release <-chan struct{}) act {
	return func(context.Context) strategies.Result {
		select {
		case <-release:
		case <-r.released:
		}
		return strategies.Result{}
	}
}

type call struct {
	*job
	returned chan struct{}
	result   error         // its error
	at       time.Duration // virtual time of its return
}

func (c *call) isOver() bool { return isClosed(c.returned) }

func (c *call) err() error {
	if !c.isOver() {
		return nil
	}
	return c.result
}

func (c *call) accepted() bool { return c.isOver() && c.result == nil }

func (c *call) String() string {
	switch {
	case !c.isOver():
		return "Submit blocks"
	case c.result != nil:
		return fmt.Sprintf("Submit returned %q", c.result)
	}
	return "Submit accepted the task"
}
