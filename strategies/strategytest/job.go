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

// A job is a task with its record.
type job struct {
	strategies.Task
	given  shape // when it was submitted
	rig    *rig
	name   int
	do     act
	starts atomic.Int32 // calls of Run
	inside atomic.Int32 // calls of Run that have not returned
	dones  atomic.Int32 // calls of Done
	early  atomic.Bool  // done while it ran
	beside atomic.Int32 // second attempts beside the first

	started, ended atomic.Int64      // virtual time of the last start and of the first Done, in ns
	outcome        strategies.Result // valid once done
	done           chan struct{}     // closed by the first Done
}

// An act is what a job does.
type act func(context.Context) strategies.Result

// jobs makes n jobs that do the same.
func (r *rig) jobs(n int, do act) []*job {
	all := make([]*job, n)
	for i := range all {
		all[i] = &job{rig: r, name: i, do: do, done: make(chan struct{})}
		all[i].Task = strategies.Task{Run: runJob, Arg: all[i]}
	}
	return all
}

// A shape is what the caller says of a task, as far as it can be compared.
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

// noRecord is the Arg of tasks that nobody looks at.
var noRecord any = new(int)

func runJob(ctx context.Context, t *strategies.Task) strategies.Result {
	j, ok := t.Arg.(*job)
	if !ok {
		return strategies.Result{Err: errors.New("the strategy has changed Task.Arg")}
	}
	if t != &j.Task && j.rig.spec.Hedges {
		return j.runBeside(ctx)
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

// enter counts an attempt that runs, until what it returns is called.
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

// runBeside is a second attempt beside the first, which it lets win: it ends with its context, and
// else fails after a minute, since a strategy may wait for it where the first has failed.
func (j *job) runBeside(ctx context.Context) strategies.Result {
	j.beside.Add(1)
	j.rig.steps.Add(1)
	defer j.enter()()
	if r := heeds(time.Minute)(ctx); r.Err != nil {
		return r
	}
	return strategies.Result{Err: errOwn}
}

// isDone says whether j has been done, after which its result may be read.
func (j *job) isDone() bool { return isClosed(j.done) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// begin and end are the virtual times of j's last start and of its Done.
func (j *job) begin() time.Duration { return time.Duration(j.started.Load()) }
func (j *job) end() time.Duration   { return time.Duration(j.ended.Load()) }

// completed returns an error unless j was run once and done once with no error.
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

// allCompleted returns an error unless all jobs are completed.
func allCompleted(jobs []*job) error {
	for _, j := range jobs {
		if err := j.completed(); err != nil {
			return err
		}
	}
	return nil
}

// started are those of the jobs that have been.
func started(jobs []*job) []*job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.starts.Load() == 0 })
}

// lastEnd is when the last of the jobs was done.
func lastEnd(jobs []*job) (last time.Duration) {
	for _, j := range jobs {
		last = max(last, j.end())
	}
	return last
}

// untouched returns an error if a refused job was run or done all the same.
func (j *job) untouched() error {
	if j.starts.Load() != 0 || j.dones.Load() != 0 {
		return fmt.Errorf("task %d was refused, but started %d times and done %d times", j.name,
			j.starts.Load(), j.dones.Load())
	}
	return nil
}

// What jobs do.

func returnAtOnce(context.Context) strategies.Result { return strategies.Result{} }

// returns returns a do with that result.
func returns(res strategies.Result) act {
	return func(context.Context) strategies.Result { return res }
}

// takes returns a do of that length that does not look at its context.
func takes(d time.Duration) act {
	return func(context.Context) strategies.Result {
		time.Sleep(d)
		return strategies.Result{}
	}
}

// heeds returns a do of that length that returns the cause when its context ends.
func heeds(d time.Duration) act {
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

// held returns a do that keeps its slot until it receives from release, or the check ends.
func (r *rig) held(release <-chan struct{}) act {
	return func(context.Context) strategies.Result {
		select {
		case <-release:
		case <-r.released:
		}
		return strategies.Result{}
	}
}

// A call is a Submit or a Drain under way or over.
type call struct {
	*job
	returned chan struct{}
	result   error         // what it returned
	at       time.Duration // when, in virtual time
}

// over says whether the call has returned.
func (c *call) over() bool { return isClosed(c.returned) }

// err is what the call returned; nil also if it has not.
func (c *call) err() error {
	if !c.over() {
		return nil
	}
	return c.result
}

// accepted says whether Submit has accepted the job.
func (c *call) accepted() bool { return c.over() && c.result == nil }

// String says what has become of a Submit.
func (c *call) String() string {
	switch {
	case !c.over():
		return "Submit blocks"
	case c.result != nil:
		return fmt.Sprintf("Submit returned %q", c.result)
	}
	return "Submit accepted the task"
}
