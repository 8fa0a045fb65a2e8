package bench

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

// violations records violations of the contract. A violation that makes the outcome of a task
// unknown ends the run with a *StrategyError. The others become broken laws of the result.
type violations struct {
	guard        *guard
	settledTwice atomic.Int64
	failed       atomic.Pointer[StrategyError]

	mu    sync.Mutex
	jobs  []*job
	notes map[string]int // number of occurrences by text
}

const (
	strayRun = "once: a task was run that had already run, or was refused or done"
	altered  = "once: a task came back with a changed Run, Arg, Weight, Class, Size, Priority, " +
		"Tenant or Deadline, which belong to the caller"
)

var (
	errStray = errors.New(strayRun)
	errArg   = errors.New("the strategy has changed Task.Arg")
)

func (d *driver) note(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.notes == nil {
		d.notes = make(map[string]int)
	}
	if _, known := d.notes[what]; known || len(d.notes) < 8 {
		d.notes[what]++
	}
}

func (d *driver) misdeeds() (all []string) {
	for _, what := range slices.Sorted(maps.Keys(d.notes)) {
		all = append(all, fmt.Sprintf("%s (%d×)", what, d.notes[what]))
	}
	return all
}

var attemptCode = reflect.ValueOf(attempt).Pointer()

func (j *job) isAltered() bool {
	t := &j.task
	return t.Weight != j.weight || t.Class != j.rec.Class || t.Size != j.size ||
		(label{t.Priority, t.Tenant, t.Deadline}) != j.label ||
		reflect.ValueOf(t.Run).Pointer() != attemptCode
}

func (d *driver) fail(e *StrategyError) {
	if d.failed.CompareAndSwap(nil, e) {
		d.cancel(e)
	}
}

// jobOf returns nil if the task does not belong to the run.
func (d *driver) jobOf(t *strategies.Task) *job {
	if t != nil {
		if j, ok := t.Arg.(*job); ok && t == &j.task && j.driver == d {
			return j
		}
	}
	return nil
}

func (d *driver) failUnknownTask(t *strategies.Task) {
	what := "nil"
	if t != nil {
		switch j := t.Arg.(type) {
		case *job:
			what = "a copy of a task"
			if t == &j.task {
				what = "a task of another run"
			}
		case *piece:
			what = "a sub-task instead of its task"
		default:
			what = "a task that was never submitted or has another Arg"
		}
	}
	d.fail(d.guard.blame(machine.StacksHere(),
		"Done was called with %s, but by clause 2 (Once) it is called once with each accepted task",
		what))
}

func (d *driver) maySettle(j *job) bool {
	if j.state.CompareAndSwap(offered, resting) {
		if j.isAltered() {
			// in the other cases the generator may already reuse the task
			d.note(altered)
		}
		return true
	}
	if j.state.Load() == running {
		d.fail(d.guard.blame(machine.StacksHere(), "Done was called with a task that is inside its "+
			"Run, but by clause 2 (Once) it is done after its last step"))
	} else {
		d.settledTwice.Add(1)
	}
	return false
}

// ended reports whether the context of the Submit had ended.
func (d *driver) mayRefuse(ended bool, j *job, err error) bool {
	if !errors.Is(err, strategies.ErrShed) && !ended {
		d.note(fmt.Sprintf("blocks or sheds: Submit refused a task with %q, while its context "+
			"and the intake were open", err))
	}
	rests := j.state.CompareAndSwap(offered, resting)
	switch {
	case rests && j.rec.Attempts == 0:
	case rests, j.state.Load() == running:
		d.fail(d.guard.blame(nil, "Submit refused a task with %q and runs it, but by clause 2 (Once) "+
			"a refused one is neither run nor done", err))
	default:
		d.settledTwice.Add(1)
	}
	return rests
}

func (d *driver) addJob(j *job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs = append(d.jobs, j)
}

func (d *driver) countAccepted() (accepted, inside int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, j := range d.jobs {
		switch j.state.Load() {
		case running:
			inside++
			accepted++
		case offered:
			accepted++
		}
	}
	return accepted, inside
}

// longest bounds the remaining time of the tasks inside Run. 0: unknown.
func (d *driver) longest() (longest time.Duration) {
	if d.inFlight.Load() == 0 {
		return 0
	}
	longest = 2 * d.scenario.Timeout
	if timed, ok := d.workload.(workloads.Timed); ok {
		issued := d.tracker.Submits() + 1
		for seq := issued - min(issued, 1e6); seq < issued; seq++ {
			longest = max(longest, 2*timed.Time(seq))
		}
	}
	return longest
}
