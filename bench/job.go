package bench

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/soaks"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A job carries one task at a time through the strategy, and is reused.
type job struct {
	task   strategies.Task
	driver *driver
	rec    *record.Record
	chunk  *soaks.Chunk // chunk of rec, in a soak
	seq    uint64
	size   time.Duration
	label  label
	weight int64 // 0 if the workload has no weights
	gone   int64 // when the caller gives up, in ns since the start of the run; 0 means never
	state  atomic.Int32
	done   chan struct{} // wakes the client of a closed loop
	// the method value clocked, stored because creating one allocates; nil if work is not timed
	timed  func(ctx context.Context, seq uint64) error
	worked int64 // time inside timed in this attempt, in ns
	next   *job

	secondAttempts uint32        // number of concurrent second attempts
	progress       time.Duration // start of the next step, for a task with steps
	pieces         []*piece
	tasks          []*strategies.Task
}

// The goroutine that changes the state owns the task.
const (
	resting = iota
	offered // between Submit and Done
	running
)

// jobList is a stack of idle jobs with many pushers and one popper. The popper takes all jobs at
// once to avoid the ABA problem.
type jobList struct {
	pushed atomic.Pointer[job]
	taken  *job // used only by the popper
}

func (l *jobList) push(j *job) {
	for {
		head := l.pushed.Load()
		j.next = head
		if l.pushed.CompareAndSwap(head, j) {
			return
		}
	}
}

func (l *jobList) putBack(j *job) {
	j.next = l.taken
	l.taken = j
}

func (l *jobList) pop() *job {
	if l.taken == nil {
		l.taken = l.pushed.Swap(nil)
	}
	j := l.taken
	if j != nil {
		l.taken = j.next
	}
	return j
}

const noTarget = "none"

// attempt has two defers and seven returns. Go uses open-coded defers only while defers × returns
// is at most 15, and otherwise each task costs 75 instructions more.
func attempt(ctx context.Context, t *strategies.Task) (r strategies.Result) {
	j, ok := t.Arg.(*job)
	if !ok {
		return strategies.Result{Err: errArg} // the strategy passes the error to Done
	}
	d := j.driver
	if t != &j.task && d.scenario.Strategy.Spec.Hedges {
		return d.attemptSecond(ctx, j)
	}
	if !j.state.CompareAndSwap(offered, running) {
		d.note(strayRun)
		return strategies.Result{Err: errStray}
	}
	if d.hasGone(j) {
		j.state.Store(offered)
		return strategies.Result{Err: errGaveUp}
	}
	d.labels.Task(int(j.rec.Class))
	d.enter(j)
	j.worked = 0
	start := d.now()
	if j.rec.Attempts == 0 {
		j.rec.Start = start
	}
	if j.progress == 0 {
		j.rec.Attempts++
	}
	defer func() { // deferred, because the work may panic or end its goroutine
		busy := d.now() - start
		j.rec.Busy += busy
		if j.timed != nil {
			j.rec.Target += busy - j.worked
		}
		d.service.Add(busy)
		d.leave(j)
		r = d.checkTimeout(r, busy)
		j.state.Store(offered)
		d.labels.Strategy()
	}()
	if d.scenario.Timeout > 0 || j.gone != 0 {
		limited, cancel := d.limit(ctx, j)
		defer cancel()
		ctx = limited
	}
	work := d.work
	switch {
	case d.splits:
		r = d.resultOf(d.target.Call(ctx, j.seq, admitted))
		if r.Err == nil {
			r.Split = j.split(d)
		}
		return r
	case d.quantum > 0:
		return d.step(ctx, j)
	case j.timed != nil:
		work = j.timed
	}
	return d.resultOf(d.target.Call(ctx, j.seq, work))
}

// A second attempt is only counted. The first attempt owns the record.
func (d *driver) attemptSecond(ctx context.Context, j *job) (r strategies.Result) {
	d.enter(j)
	j.secondAttempts++
	start := d.now()
	defer func() {
		r = d.checkTimeout(r, d.now()-start)
		d.leave(j)
	}()
	if d.scenario.Timeout > 0 || j.gone != 0 {
		limited, cancel := d.limit(ctx, j)
		defer cancel()
		ctx = limited
	}
	return d.resultOf(d.target.Call(ctx, j.seq, d.work))
}

func (j *job) clocked(ctx context.Context, seq uint64) error {
	start := j.driver.now()
	defer func() { j.worked += j.driver.now() - start }()
	return j.driver.work(ctx, seq)
}

// admitted is the work of a split task, for a target that counts calls in service.
func admitted(context.Context, uint64) error { return nil }

func (d *driver) resultOf(err error) (r strategies.Result) {
	if err != nil {
		r = d.failure(err)
	}
	return r
}

func (d *driver) failure(err error) strategies.Result {
	r := strategies.Result{Err: err}
	var refusal *targets.Throttled
	var status *workloads.StatusError
	switch {
	case errors.As(err, &refusal):
		r.Retry, r.After = true, refusal.RetryAfter
	case errors.As(err, &status) && isRefusal(status.Code):
		r.Err = &targets.Throttled{RetryAfter: status.RetryAfter}
		r.Retry, r.After = true, status.RetryAfter
	}
	if r.Retry {
		d.tracker.Await(time.Now().Add(r.After))
	}
	return r
}

func isRefusal(status int) bool {
	return slices.ContainsFunc(
		[]targets.Refusal{targets.TooMany, targets.Unavailable, targets.Banned},
		func(r targets.Refusal) bool { return r.Status() == status })
}

func (d *driver) Done(t *strategies.Task, r strategies.Result) {
	j := d.jobOf(t)
	if j == nil {
		d.failUnknownTask(t)
		return
	}
	if !d.maySettle(j) {
		return
	}
	j.rec.Attempts += j.secondAttempts
	j.secondAttempts = 0
	d.settle(j, r.Err)
	if d.flight != nil && j.rec.Outcome == record.Completed {
		d.flight.Done(j.seq, j.rec.Response(), j.rec.End-j.rec.Start)
	}
	d.tracker.Settled()
	d.meter.Settle(j.seq, machine.Outcome(j.rec.Outcome), 0, time.Duration(j.rec.Response()))
	if j.chunk != nil {
		d.belt.Settle(j.chunk, 1) // the record now belongs to the fold
	}
	if j.done != nil {
		j.done <- struct{}{} // never blocks, because a client has only one task
		return
	}
	d.idle.push(j)
}

func outcomeOf(err error) record.Outcome {
	if err == nil {
		return record.Completed
	}
	return failedOutcome(err)
}

func failedOutcome(err error) record.Outcome {
	switch {
	case errors.Is(err, targets.ErrThrottled):
		return record.Throttled
	case errors.Is(err, strategies.ErrShed):
		return record.Shed
	case errors.Is(err, strategies.ErrAbandoned), errors.Is(err, strategies.ErrClosed),
		errors.Is(err, context.Canceled):
		return record.Abandoned
	}
	return record.Failed
}
