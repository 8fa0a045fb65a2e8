package strategytest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// horizon is longer than all the tasks of a check together take, in virtual time. Checks look at the record after it instead of
// waiting for tasks, so that one that never comes is a finding and not a deadlock.
const horizon = time.Hour

// A rig is one instance under test, and the count of what its tasks do.
type rig struct {
	*scene
	spec     strategies.Spec
	p        strategies.Params
	s        strategies.Strategy
	endNew   context.CancelFunc // ends New's context
	running  atomic.Int64       // tasks inside their Run
	peak     atomic.Int64       // most of them so far
	waiting  atomic.Int64       // tasks whose Submit was called and that were neither started nor refused
	room     chan struct{}      // gets an element at a Done, unless it has one
	released chan struct{}      // closed at the end, for tasks that hold their place
}

// newRig makes an instance; at the end of the scene its tasks are released and it is drained.
func newRig(sc *scene, spec strategies.Spec, p strategies.Params) *rig {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), mark{}, "New's"))
	r := &rig{scene: sc, spec: spec, p: p, endNew: cancel, room: make(chan struct{}, 1), released: make(chan struct{})}
	r.s = spec.New(ctx, p, r)
	sc.finally(func() {
		close(r.released)
		cancel()
		_ = r.s.Drain(context.Background()) // how it drains is the business of the clause Drain
		time.Sleep(horizon)
	})
	return r
}

// mark is the key of a value in New's context.
type mark struct{}

// bound is what the Spec declares, or the largest int.
func (r *rig) bound() int { return declared(r.spec.Bound, r.p) }

// capacity is what the Spec declares, or the largest int.
func (r *rig) capacity() int { return declared(r.spec.Capacity, r.p) }

func declared(fact func(strategies.Params) int, p strategies.Params) int {
	if fact == nil {
		return math.MaxInt
	}
	return fact(p)
}

// A job is a task with its record.
type job struct {
	strategies.Task
	rig    *rig
	name   int
	do     func(ctx context.Context) strategies.Result
	starts atomic.Int32 // calls of Run
	inside atomic.Int32 // calls of Run that have not returned
	dones  atomic.Int32 // calls of Done
	early  atomic.Bool  // done while it ran

	started, ended atomic.Int64      // virtual time of the last start and of the first Done, in ns
	fate           strategies.Result // valid once done
	done           chan struct{}     // closed by the first Done
}

// jobs makes n jobs that do the same.
func (r *rig) jobs(n int, do func(ctx context.Context) strategies.Result) []*job {
	all := make([]*job, n)
	for i := range all {
		all[i] = &job{rig: r, name: i, do: do, done: make(chan struct{})}
		all[i].Task = strategies.Task{Run: runJob, Arg: all[i]}
	}
	return all
}

func runJob(ctx context.Context, t *strategies.Task) strategies.Result {
	j := t.Arg.(*job)
	if j.starts.Add(1) == 1 {
		j.rig.waiting.Add(-1)
	}
	j.started.Store(int64(j.rig.clock()))
	j.inside.Add(1)
	defer j.inside.Add(-1)
	running := j.rig.running.Add(1)
	defer j.rig.running.Add(-1)
	for peak := j.rig.peak.Load(); running > peak && !j.rig.peak.CompareAndSwap(peak, running); {
		peak = j.rig.peak.Load()
	}
	return j.do(ctx)
}

// Done records the fate of a job: the rig is the sink.
func (r *rig) Done(t *strategies.Task, res strategies.Result) {
	j := t.Arg.(*job)
	if j.dones.Add(1) > 1 {
		return
	}
	if j.inside.Load() > 0 {
		j.early.Store(true)
	}
	if j.starts.Load() == 0 {
		r.waiting.Add(-1)
	}
	j.fate = res
	j.ended.Store(int64(r.clock()))
	close(j.done)
	select {
	case r.room <- struct{}{}:
	default:
	}
}

// isDone says whether j has been done, after which its result may be read.
func (j *job) isDone() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// begin and end are the virtual times of j's last start and of its Done.
func (j *job) begin() time.Duration { return time.Duration(j.started.Load()) }
func (j *job) end() time.Duration   { return time.Duration(j.ended.Load()) }

// What jobs do.

func returnAtOnce(context.Context) strategies.Result { return strategies.Result{} }

// takes returns a do of that length that does not look at its context.
func takes(d time.Duration) func(context.Context) strategies.Result {
	return func(context.Context) strategies.Result {
		time.Sleep(d)
		return strategies.Result{}
	}
}

// heeds returns a do of that length that returns the cause when its context ends.
func heeds(d time.Duration) func(context.Context) strategies.Result {
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

// held returns a do that keeps its place until it receives from release, or the check ends.
func (r *rig) held(release <-chan struct{}) func(context.Context) strategies.Result {
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

// start has f called in a goroutine and returns when nothing moves any more: the call is over or blocked, without virtual time
// having passed.
func (r *rig) start(j *job, f func() error) *call {
	c := &call{job: j, returned: make(chan struct{})}
	r.spawn(func() {
		c.result = f()
		c.at = r.clock()
		close(c.returned)
	})
	synctest.Wait()
	return c
}

// over says whether the call has returned.
func (c *call) over() bool {
	select {
	case <-c.returned:
		return true
	default:
		return false
	}
}

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

// submit calls Submit and waits for it.
func (r *rig) submit(ctx context.Context, j *job) error {
	r.waiting.Add(1)
	err := r.s.Submit(ctx, &j.Task)
	if err != nil {
		r.waiting.Add(-1)
	}
	return err
}

// call starts a Submit.
func (r *rig) call(ctx context.Context, j *job) *call {
	return r.start(j, func() error { return r.submit(ctx, j) })
}

// drain starts a Drain.
func (r *rig) drain(ctx context.Context) *call {
	return r.start(nil, func() error { return r.s.Drain(ctx) })
}

// fill submits jobs until one is not accepted at once, at most n. It returns the accepted ones, and the call that was refused or
// is blocked, if any.
func (r *rig) fill(ctx context.Context, n int, do func(context.Context) strategies.Result) (in []*job, last *call) {
	for _, j := range r.jobs(n, do) {
		c := r.call(ctx, j)
		if !c.accepted() {
			return in, c
		}
		in = append(in, j)
	}
	return in, nil
}

// offer submits jobs one after another as a patient client: one that is shed is offered again after the next Done. It returns
// the first other error.
func (r *rig) offer(jobs []*job) error {
	for _, j := range jobs {
		for {
			err := r.submit(context.Background(), j)
			if err == nil {
				break
			}
			if !errors.Is(err, strategies.ErrShed) {
				return fmt.Errorf("task %d was refused: %w", j.name, err)
			}
			<-r.room
		}
	}
	return nil
}

// completed returns an error unless j was run once and done once with no error.
func (j *job) completed() error {
	switch {
	case j.dones.Load() == 0:
		return fmt.Errorf("task %d was accepted, started %d times, and never done", j.name, j.starts.Load())
	case j.starts.Load() != 1:
		return fmt.Errorf("task %d was started %d times and done with error %v", j.name, j.starts.Load(), j.fate.Err)
	case j.fate.Err != nil:
		return fmt.Errorf("task %d was done with error: %w", j.name, j.fate.Err)
	}
	return nil
}

// untouched returns an error if a refused job was run or done all the same.
func (j *job) untouched() error {
	if j.starts.Load() != 0 || j.dones.Load() != 0 {
		return fmt.Errorf("task %d was refused, but started %d times and done %d times", j.name, j.starts.Load(), j.dones.Load())
	}
	return nil
}
