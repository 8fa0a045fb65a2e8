package strategytest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/strategies"
)

// horizon is longer than all the tasks of a check together take, in virtual time. Checks look at
// the record after it instead of waiting for tasks, so that one that never comes is a finding and
// not a deadlock.
const horizon = time.Hour

// warmUp is how long a check lets pass before it expects 32 tasks to have started, as far as there
// are slots: a strategy that limits a rate starts them one by one.
const warmUp = time.Second

// A rig is one instance under test, and the count of what its tasks do.
type rig struct {
	*scene
	spec    strategies.Spec
	p       strategies.Params
	s       strategies.Strategy
	endNew  context.CancelFunc // ends New's context
	running atomic.Int64       // tasks inside their Run
	peak    atomic.Int64       // most of them so far
	// tasks whose Submit was called and that were neither started nor refused
	waiting atomic.Int64
	// the first call of Done with something that is not a task as it was given
	odd      atomic.Pointer[error]
	room     chan struct{} // gets an element at a Done, unless it has one
	released chan struct{} // closed at the end, for tasks that hold their slot
}

// newRig makes an instance; at the end of the scene its tasks are released and it is drained.
func newRig(sc *scene, spec strategies.Spec, p strategies.Params) *rig {
	return newRigIn(context.Background(), sc, spec, p)
}

// newRigIn is newRig with a parent for New's context.
func newRigIn(parent context.Context, sc *scene, spec strategies.Spec, p strategies.Params) *rig {
	ctx, cancel := context.WithCancel(context.WithValue(parent, mark{}, "New's"))
	r := &rig{scene: sc, spec: spec, p: p, endNew: cancel, room: make(chan struct{}, 1),
		released: make(chan struct{})}
	r.s = start(sc, spec, ctx, p, r)
	sc.finally(func() {
		close(r.released)
		cancel()
		_ = r.s.Drain(context.Background()) // how it drains is the business of the clause Drain
	})
	return r
}

var errNil = errors.New("instead of an instance New returned nil")

// start is New, and ends the check where there is nothing to go on with.
func start(
	sc *scene, spec strategies.Spec, ctx context.Context, p strategies.Params, sink strategies.Sink,
) strategies.Strategy {
	s := spec.New(ctx, p, sink)
	if s == nil {
		sc.fail(errNil)
		runtime.Goexit()
	}
	return s
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

// Done records the outcome of a job: the rig is the sink.
func (r *rig) Done(t *strategies.Task, res strategies.Result) {
	j := r.jobOf(t)
	if j == nil || j.dones.Add(1) > 1 {
		return
	}
	if j.inside.Load() > 0 {
		j.early.Store(true)
	}
	if j.starts.Load() == 0 {
		r.waiting.Add(-1)
	}
	r.steps.Add(1)
	j.outcome = res
	j.ended.Store(int64(r.clock()))
	close(j.done)
	select {
	case r.room <- struct{}{}:
	default:
	}
}

// jobOf returns the job of a task that is done, unless there is none, and notes what is odd.
func (r *rig) jobOf(t *strategies.Task) (j *job) {
	what := ""
	switch {
	case t == nil:
		what = "nil"
	case t.Arg == noRecord:
	default:
		var ok bool
		switch j, ok = t.Arg.(*job); {
		case !ok:
			what = "a task that was never submitted or has another Arg"
		case t != &j.Task:
			j, what = nil, "a copy of a task"
		case shapeOf(t) != j.given:
			what = "a task with a changed Run, Weight, Class, Size, Priority, Tenant or " +
				"Deadline, which only the caller may set"
		}
	}
	if what != "" {
		err := fmt.Errorf("Done was called with %s\n%s", what, machine.StacksHere().Foreign())
		r.odd.CompareAndSwap(nil, &err)
	}
	return j
}

// strict has a check fail for a call of Done with something that is not a task as it was given.
func strict(check func(*rig) error) func(*rig) error {
	return func(r *rig) error {
		err := check(r)
		if odd := r.odd.Load(); odd != nil {
			return *odd
		}
		return err
	}
}

// start has f called in a goroutine and returns when nothing moves any more: the call is over or
// blocked, without virtual time having passed.
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

// submit calls Submit and waits for it.
func (r *rig) submit(ctx context.Context, j *job) error {
	r.waiting.Add(1)
	r.steps.Add(1)
	j.given = shapeOf(&j.Task)
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

// fill submits jobs until one is not accepted at once, at most n. It returns the accepted ones, and
// the call that was refused or is blocked, if any.
func (r *rig) fill(n int, do act) (in []*job, last *call) {
	return r.fillWith(r.jobs(n, do))
}

// fillWith is fill with jobs that differ.
func (r *rig) fillWith(jobs []*job) (in []*job, last *call) {
	for _, j := range jobs {
		c := r.call(context.Background(), j)
		if !c.accepted() {
			return in, c
		}
		in = append(in, j)
	}
	return in, nil
}

// offer submits jobs one after another as a patient client: one that is shed is offered again after
// the next Done. It returns the first other error.
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
