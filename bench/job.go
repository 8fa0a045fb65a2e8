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

// A job carries one task at a time through the strategy, and is then reused: a run has as many jobs
// as tasks were in the system at once.
type job struct {
	task   strategies.Task
	driver *driver
	rec    *record.Record
	chunk  *soaks.Chunk // soak: the chunk of rec
	seq    uint64
	size   time.Duration // the task's declared size
	label  label         // the task's labels
	weight int64         // 0: the workload has no weights
	gone   int64         // when the caller gives up, since the start of the run; 0: never
	state  atomic.Int32
	done   chan struct{} // closed arrivals: wakes the client
	// the timed work behind a target, bound once, since a method value allocates. nil: not timed
	timed  func(ctx context.Context, seq uint64) error
	worked int64 // its time in this attempt
	next   *job

	beside   uint32        // concurrent second attempts
	progress time.Duration // of a task with steps
	pieces   []*piece
	tasks    []*strategies.Task
}

// States of a job. The goroutine that changes the state owns the task.
const (
	resting = iota
	offered // submitted, until Done
	running
)

// jobList is a stack of idle jobs: any goroutine pushes, one goroutine pops. The popper takes all
// jobs at once, so a job cannot be pushed again between its load and its swap (no ABA).
type jobList struct {
	pushed atomic.Pointer[job]
	taken  *job // owned by the popper
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

// putBack returns a job that the popper did not use.
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

// noTarget is the target that serves every call at once.
const noTarget = "none"

// attempt is the Run of every task: it stamps the start, calls the target, and adds the time to the
// task's record. It has two defers and seven returns: if the product exceeds 15, Go uses a list of
// defers, which costs 75 instructions per task.
func attempt(ctx context.Context, t *strategies.Task) (r strategies.Result) {
	j, ok := t.Arg.(*job)
	if !ok {
		return strategies.Result{Err: errArg} // the strategy passes it to Done
	}
	d := j.driver
	if t != &j.task && d.scenario.Strategy.Spec.Hedges {
		return d.attemptBeside(ctx, j)
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
	defer func() { // runs also when the work panics or ends its goroutine
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

// attemptBeside is a second attempt concurrent with the first, which owns the record. It is only
// counted: its time lies within the time of the first.
func (d *driver) attemptBeside(ctx context.Context, j *job) (r strategies.Result) {
	d.enter(j)
	j.beside++
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

// clocked runs the work of the job's task behind a target and times it, to separate it from the
// target's own time.
func (j *job) clocked(ctx context.Context, seq uint64) error {
	start := j.driver.now()
	defer func() { j.worked += j.driver.now() - start }()
	return j.driver.work(ctx, seq)
}

// admitted is the work of a split task whose pieces do the rest. For a target that counts calls in
// service it ends at once.
func admitted(context.Context, uint64) error { return nil }

// resultOf returns the outcome of an attempt. It is inlined.
func (d *driver) resultOf(err error) (r strategies.Result) {
	if err != nil {
		r = d.failure(err)
	}
	return r
}

// failure returns the outcome of a failed attempt. Refusals by the target, also over a connection,
// may be retried.
func (d *driver) failure(err error) strategies.Result {
	r := strategies.Result{Err: err}
	var refusal *targets.Throttled
	var status *workloads.StatusError
	switch {
	case errors.As(err, &refusal):
		r.Retry, r.After = true, refusal.RetryAfter
	case errors.As(err, &status) && refuses(status.Code):
		r.Err = &targets.Throttled{RetryAfter: status.RetryAfter}
		r.Retry, r.After = true, status.RetryAfter
	}
	if r.Retry {
		d.progress.await(time.Now().Add(r.After))
	}
	return r
}

func refuses(status int) bool {
	return slices.ContainsFunc(
		[]targets.Refusal{targets.TooMany, targets.Unavailable, targets.Banned},
		func(r targets.Refusal) bool { return r.Status() == status })
}

// Done implements the Sink of the strategy: it ends the response time of an accepted task.
func (d *driver) Done(t *strategies.Task, r strategies.Result) {
	j := d.jobOf(t)
	if j == nil {
		d.noJob(t)
		return
	}
	if !d.maySettle(j) {
		return
	}
	j.rec.Attempts += j.beside
	j.beside = 0
	d.settle(j, r.Err)
	if d.flight != nil && j.rec.Outcome == record.Completed {
		d.flight.Done(j.seq, j.rec.Response(), j.rec.End-j.rec.Start)
	}
	d.progress.settled.Add(1)
	d.meter.Settle(j.seq, machine.Outcome(j.rec.Outcome), 0, time.Duration(j.rec.Response()))
	if j.chunk != nil {
		d.belt.Settle(j.chunk, 1) // the record now belongs to the fold
	}
	if j.done != nil {
		j.done <- struct{}{} // never blocks: the client has only one task
		return
	}
	d.idle.push(j)
}

// outcomeOf classifies the error of a settled task. It is inlined.
func outcomeOf(err error) record.Outcome {
	if err == nil {
		return record.Completed
	}
	return lost(err)
}

func lost(err error) record.Outcome {
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
