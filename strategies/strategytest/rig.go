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

// horizon exceeds the total virtual time of all tasks of a check. Checks read the record after this
// time instead of waiting for tasks, so a missing task does not deadlock.
const horizon = time.Hour

// 32 tasks must have started within warmUp if there are slots. A strategy that limits a rate starts
// them one by one.
const warmUp = time.Second

// rig is one instance under test with counts of its tasks.
type rig struct {
	*scene
	spec    strategies.Spec
	p       strategies.Params
	s       strategies.Strategy
	endNew  context.CancelFunc // ends New's context
	running atomic.Int64       // tasks inside their Run
	peak    atomic.Int64       // maximum of running so far
	// tasks in Submit or accepted, but neither started nor refused
	waiting atomic.Int64
	// first error about a Done call with an unknown or changed task
	doneError atomic.Pointer[error]
	room      chan struct{} // receives an element at each Done, unless it has one
	released  chan struct{} // closed at the end, for tasks that hold their slot
}

// At the end of the scene the tasks of the instance are released and it is drained.
func newRig(sc *scene, spec strategies.Spec, p strategies.Params) *rig {
	return newRigIn(context.Background(), sc, spec, p)
}

func newRigIn(parent context.Context, sc *scene, spec strategies.Spec, p strategies.Params) *rig {
	ctx, cancel := context.WithCancel(context.WithValue(parent, mark{}, "New's"))
	r := &rig{scene: sc, spec: spec, p: p, endNew: cancel, room: make(chan struct{}, 1),
		released: make(chan struct{})}
	r.s = start(sc, spec, ctx, p, r)
	sc.finally(func() {
		close(r.released)
		cancel()
		_ = r.s.Drain(context.Background()) // the clause Drain checks its error
	})
	return r
}

var errNil = errors.New("no instance: New returned nil")

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

type mark struct{}

func (r *rig) bound() int { return declared(r.spec.Bound, r.p) }

// bound and capacity return the largest int if nothing is declared.
func (r *rig) capacity() int { return declared(r.spec.Capacity, r.p) }

func declared(fact func(strategies.Params) int, p strategies.Params) int {
	if fact == nil {
		return math.MaxInt
	}
	return fact(p)
}

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
		r.doneError.CompareAndSwap(nil, &err)
	}
	return j
}

func strict(check func(*rig) error) func(*rig) error {
	return func(r *rig) error {
		err := check(r)
		if odd := r.doneError.Load(); odd != nil {
			return *odd
		}
		return err
	}
}

// start returns when the call of f has returned or blocked, without virtual time passing.
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

func (r *rig) call(ctx context.Context, j *job) *call {
	return r.start(j, func() error { return r.submit(ctx, j) })
}

func (r *rig) drain(ctx context.Context) *call {
	return r.start(nil, func() error { return r.s.Drain(ctx) })
}

// fill submits at most n jobs until one is not accepted at once. It returns the accepted jobs and
// the refused or blocked call, if any.
func (r *rig) fill(n int, do act) (in []*job, last *call) {
	return r.fillWith(r.jobs(n, do))
}

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

// offer repeats a shed job after the next Done. It returns the first other error.
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
