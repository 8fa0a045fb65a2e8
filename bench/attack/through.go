package attack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/poolbench/poolbench/strategies"
)

// through is an open loop with a strategy before the client. One goroutine submits each request when it is due, as the driver of `poolbench run` does; a
// strategy that blocks makes the later ones late, and their responses say so. A refusal by the server asks the strategy for another
// attempt, after the answer's Retry-After; one that says to come again later than any answer may take is final, or a server could
// keep an attack for years.
func (r *run) through(ctx context.Context) error {
	t := &through{run: r}
	t.strategy = r.attack.Strategy.Spec.New(ctx, r.attack.params(), t)
	t.submitAll(ctx)
	if err := t.strategy.Drain(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", r.attack.Strategy, err)
	}
	r.tally.peak, r.twice = int(t.peak.Load()), t.twice.Load()
	return nil
}

// A through is the Sink of its strategy.
type through struct {
	*run
	strategy       strategies.Strategy
	mu             sync.Mutex
	idle           []*job
	inFlight, peak atomic.Int64
	twice          atomic.Int64 // tasks settled more than once
}

// A job carries one request at a time through the strategy.
type job struct {
	task strategies.Task
	of   *through
	live atomic.Bool // between Submit and Done
	sample
}

// submitAll issues the plan.
func (t *through) submitAll(ctx context.Context) {
	plan, wait, returned := t.attack.plan(), t.newWaiter(), t.now()
	for seq := uint64(0); ; seq++ {
		due, ok := plan.next()
		if !ok || !wait.until(ctx, due) {
			return
		}
		j := t.job()
		req := &t.attack.Requests[seq%uint64(len(t.attack.Requests))]
		j.sample = sample{seq: seq, due: due, lag: t.now() - max(due, returned), method: req.Method, url: req.URL}
		t.issued++
		j.live.Store(true)
		if err := t.strategy.Submit(ctx, &j.task); err != nil && j.live.CompareAndSwap(true, false) {
			t.settle(j, err)
		}
		returned = t.now()
	}
}

func (t *through) job() *job {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.idle); n > 0 {
		j := t.idle[n-1]
		t.idle = t.idle[:n-1]
		return j
	}
	j := &job{of: t}
	j.task.Run, j.task.Arg = attempt, j
	return j
}

// attempt is the Run of every task: one call.
func attempt(ctx context.Context, task *strategies.Task) (result strategies.Result) {
	j := task.Arg.(*job)
	t := j.of
	t.enter()
	defer t.inFlight.Add(-1)
	start := t.now()
	if j.attempts == 0 {
		j.start = start
	}
	j.attempts++
	a := t.caller.call(ctx, j.seq)
	j.busy += t.now() - start
	s := t.sampleOf(ctx, j.seq, a)
	j.status, j.err, j.outcome = s.status, s.err, s.outcome
	j.in += s.in
	j.out += s.out
	switch {
	case a.err != nil:
		result.Err = a.err
	case s.outcome == throttled:
		result.Err, result.Retry, result.After = errRefused, a.retryAfter <= t.attack.Timeout, a.retryAfter
	case s.outcome == failed:
		result.Err = errStatus
	}
	return result
}

// What an attempt says to its strategy; the details are in the job.
var (
	errRefused = errors.New("refused by the server")
	errStatus  = errors.New("answered with an error")
)

func (t *through) enter() {
	n := t.inFlight.Add(1)
	for peak := t.peak.Load(); n > peak && !t.peak.CompareAndSwap(peak, n); peak = t.peak.Load() {
	}
}

// Done implements strategies.Sink.
func (t *through) Done(task *strategies.Task, result strategies.Result) {
	j := task.Arg.(*job)
	if !j.live.CompareAndSwap(true, false) {
		t.twice.Add(1)
		return
	}
	t.settle(j, result.Err)
}

// settle counts the task and takes its job back.
func (t *through) settle(j *job, err error) {
	j.end = t.now()
	switch {
	case errors.Is(err, strategies.ErrShed):
		j.outcome, j.err = shed, ""
	case errors.Is(err, strategies.ErrAbandoned), err != nil && j.attempts == 0: // the attack has ended
		j.outcome, j.err = abandoned, strategies.ErrAbandoned.Error()
	case err != nil && j.outcome == completed: // a panic
		j.outcome, j.err = failed, err.Error()
	}
	if j.outcome == shed || j.outcome == abandoned {
		j.status = 0
	}
	t.tally.add(j.sample)
	t.mu.Lock()
	t.idle = append(t.idle, j)
	t.mu.Unlock()
}
