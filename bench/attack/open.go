package attack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/strategies"
)

// One goroutine submits each request to a strategy when it is due. A strategy that blocks delays
// later requests, which counts as response time. A Retry-After beyond the timeout is final, because
// a server could otherwise prolong an attack for years.
func (r *run) open(planned int, span time.Duration) error {
	t := &openLoop{run: r, through: r.attack.through()}
	if !t.through {
		t.slots = r.attack.newSlots()
	}
	if r.attack.soaks(planned) {
		t.soak = r.recording.NewSoak(r.ctx, span, &t.peak)
		defer t.soak.Close()
	} else {
		t.records = record.New(planned)
	}
	t.idle.New = func() any {
		j := &job{of: t}
		j.task.Run, j.task.Arg = attempt, j
		return j
	}
	strategy, params := r.attack.strategy()
	r.labels.Strategy()
	t.strategy = strategy.Spec.New(r.ctx, params, r.attack.withLetters(t))
	r.labels.Harness()
	defer r.show(planned*r.attack.perArrival(), span, t.inFlight.Load)()
	if r.attack.Session != nil {
		t.sessions = t.newSessionLoop()
		t.sessions.submitAll(r.plan)
		t.sessions.end()
	} else {
		t.submitAll(r.plan)
	}
	if err := t.drain(); err != nil && r.ctx.Err() == nil {
		return fmt.Errorf("%s: %w", strategy, err)
	}
	if t.sessions != nil {
		t.sessions.abandonRest(r.plan)
	} else {
		t.abandonRest(r.plan)
	}
	if t.full != nil {
		return t.full
	}
	if t.soak != nil {
		t.soak.Close()
	} else {
		r.recording.Records = []record.Log{t.records}
		if s := t.sessions; s != nil && s.later.Len() > 0 {
			s.later.Sort() // steps are appended when known, not in order of due time
			r.recording.Records = append(r.recording.Records, s.later)
		}
	}
	r.recording.Peak, r.recording.Twice = t.peak.Load(), t.twice.Load()
	t.slots.note(r.recording)
	return nil
}

// An attack that exceeds the limit of a soak ends.
func (t *openLoop) add(due int64) (rec bench.Entry, ok bool) {
	if t.soak == nil {
		return bench.Entry{Record: t.records.Add(due)}, true
	}
	if rec, t.full = t.soak.Add(due); t.full != nil {
		t.give(t.full)
	}
	return rec, t.full == nil
}

// drain waits beyond the grace period for requests that are being filled in, dialled or checked,
// because they own their records.
func (t *openLoop) drain() error {
	for {
		sending := t.inFlight.Load() > 0
		err := t.strategy.Drain(t.ctx)
		left, late := errors.AsType[*strategies.DrainError](err)
		if !late || left.Running == 0 || !sending {
			return err
		}
	}
}

func (t *openLoop) abandonRest(plan *plan) {
	for now := t.now(); t.full == nil && plan.more && plan.due <= now; plan.advance() {
		rec, ok := t.add(plan.due)
		if !ok {
			return
		}
		t.abandon(rec, sample{seq: plan.seq, due: plan.due})
	}
}

func (t *openLoop) abandon(rec bench.Entry, s sample) {
	s.end = t.now()
	rec.Blocked, rec.Issue = t.through || t.slots.behind, s.end
	s.outcome, s.err = record.Abandoned, strategies.ErrAbandoned.Error()
	t.settle(rec.Record, s)
	rec.Release()
}

// The default strategy is one goroutine for each request.
func (a Attack) strategy() (strategies.Variant, strategies.Params) {
	if a.through() {
		return a.Strategy, a.params()
	}
	v := strategies.MustParse("unbounded")
	return v, strategies.Params{Limit: 1, Values: v.Values}
}

type openLoop struct {
	*run
	strategy strategies.Strategy
	// without a strategy, time before the attempt is lag
	through        bool
	slots          *slots // nil: the strategy bounds the requests in flight
	records        record.Log
	soak           *bench.Soak // replaces the records
	full           error       // too many requests for the soak
	sessions       *sessionLoop
	idle           sync.Pool // of *job
	inFlight, peak atomic.Int64
	twice          atomic.Int64 // tasks settled more than once
}

type job struct {
	task strategies.Task
	of   *openLoop
	live atomic.Bool // between Submit and Done
	rec  bench.Entry
	sample
	slot     bool
	attempts int
	message  *message      // nil: made on sending
	own      *message      // filled in; nil: none
	checking time.Duration // of the last answer

	mu       sync.Mutex // attempts may overlap
	beside   uint32
	answered bool // an attempt has succeeded: ignore the others
}

func (t *openLoop) submitAll(plan *plan) {
	w := t.newWaiter()
	defer w.end()
	for returned := t.now(); plan.more; plan.advance() {
		due := plan.due
		issue, held := returned, returned >= due
		j := t.idle.Get().(*job)
		j.sample = sample{seq: plan.seq, due: due}
		j.fill()
		if !held {
			issue = w.wait(due, nil)
		}
		if issue < due || t.ctx.Err() != nil {
			break
		}
		rec, ok := t.add(due)
		if !ok {
			break
		}
		returned = t.submit(j, rec, issue, held)
	}
}

func (j *job) fill() {
	j.message = j.of.caller.message(j.seq, j.visit, &j.own)
	switch {
	case j.of.attack.Strategy.Spec.Hedges:
		j.message.complete() // two concurrent attempts must not
	case j.message.large():
		j.message, j.own = nil, nil
	}
}

func (t *openLoop) submit(j *job, rec bench.Entry, issue int64, held bool) (returned int64) {
	j.rec, j.attempts, j.checking, j.beside, j.answered = rec, 0, 0, 0, false
	rec.Issue = issue
	late, err := t.slots.acquire(t.ctx, held)
	rec.Blocked = late || held && t.through
	j.live.Store(true)
	if j.slot = err == nil; err == nil {
		t.labels.Strategy()
		err = t.strategy.Submit(t.ctx, &j.task)
		t.labels.Harness()
	}
	if err != nil && j.live.CompareAndSwap(true, false) {
		t.done(j, err)
	}
	if returned = t.now(); t.through { // else the request's goroutine sets it
		rec.Left = returned
	}
	return returned
}

func attempt(ctx context.Context, task *strategies.Task) (result strategies.Result) {
	j := task.Arg.(*job)
	t := j.of
	t.labels.Task(0)
	t.enter()
	defer func() {
		t.inFlight.Add(-1)
		t.labels.Strategy()
	}()
	if j.message == nil {
		j.message = t.caller.message(j.seq, j.visit, &j.own)
	}
	beside := task != &j.task && t.attack.Strategy.Spec.Hedges
	start := t.now()
	if !t.through && !beside {
		j.rec.Issue = start
	}
	a := t.caller.call(ctx, j.message)
	return j.ended(a, start, beside)
}

// Among overlapping attempts the first success counts, otherwise the attempt that began first. The
// time of the other is not added.
func (j *job) ended(a answer, start int64, beside bool) (result strategies.Result) {
	t := j.of
	j.mu.Lock()
	defer j.mu.Unlock()
	end := t.now()
	if j.attempts++; beside {
		j.beside++
	} else {
		j.rec.Attempt(start, end-start)
		j.busy += end - start
	}
	s := j.sample
	s.end = end
	a.expire(end-start, t.attack.Timeout)
	t.addAnswer(&s, a)
	succeeds := s.outcome == record.Completed
	if j.answered || beside && !succeeds {
		j.in, j.out = s.in, s.out
	} else {
		j.sample, j.answered = s, succeeds
		if a.kept != nil {
			j.checking = time.Duration(t.now() - end)
		}
	}
	switch {
	case a.err != nil:
		result.Err = a.err
	case s.outcome == record.Throttled:
		result.Err, result.Retry, result.After = errRefused, a.retryAfter <= t.attack.Timeout,
			a.retryAfter
	case s.outcome == record.Failed:
		result.Err = errStatus
	}
	return result
}

var (
	errRefused = errors.New("refused by the server")
	errStatus  = errors.New("answered with an error")
)

func (t *openLoop) enter() {
	n := t.inFlight.Add(1)
	for peak := t.peak.Load(); n > peak && !t.peak.CompareAndSwap(peak, n); peak = t.peak.Load() {
	}
}

func (t *openLoop) Done(task *strategies.Task, result strategies.Result) {
	j := task.Arg.(*job)
	if !j.live.CompareAndSwap(true, false) {
		t.twice.Add(1)
		return
	}
	t.done(j, result.Err)
}

func (t *openLoop) done(j *job, err error) {
	j.end = t.now() - int64(j.checking) // checks are not part of the response
	switch {
	case errors.Is(err, strategies.ErrShed):
		j.outcome, j.status, j.err, j.check = record.Shed, 0, "", ""
	case errors.Is(err, strategies.ErrAbandoned), err != nil && j.attempts == 0:
		// the attack has ended
		j.outcome, j.status, j.check = record.Abandoned, 0, ""
		j.err = strategies.ErrAbandoned.Error()
	case err != nil && j.outcome == record.Completed: // a panic
		j.outcome, j.err = record.Failed, err.Error()
	}
	j.rec.Attempts += j.beside
	t.settle(j.rec.Record, j.sample)
	j.rec.Release()
	if j.message.large() {
		j.own = nil
	}
	if t.slots != nil && j.slot {
		t.slots.release()
	}
	s := j.sample
	t.idle.Put(j)
	if s.visit != nil {
		t.sessions.endStep(s.visit, s)
	}
}

func (a Attack) withLetters(t *openLoop) strategies.Sink {
	if a.DeadLetters == nil {
		return t
	}
	return &strategies.DeadLetterSink{Next: t, Letters: letters{t.run}, Describe: t.describe}
}

type deadRequest struct {
	Seq    uint64 `json:"seq"`
	Method string `json:"method"`
	URL    string `json:"url"`
	Status int    `json:"status"`         // of the last answer
	Code   string `json:"code,omitempty"` // the status, if it is not HTTP's
}

func (t *openLoop) describe(task *strategies.Task) any {
	j := task.Arg.(*job)
	m := t.caller.kind(j.seq)
	url := m.request.URL
	if m.form != nil {
		url = m.form.Shown(m.form.seed, j.seq)
	}
	l := deadRequest{j.seq, m.request.Method, t.attack.Show(url), j.status, ""}
	if p := t.attack.spoken; p != nil && j.status != 0 {
		l.Status, l.Code = p.Like(j.status), p.Status(j.status)
	}
	return l
}

type letters struct{ of *run }

func (l letters) Add(d strategies.DeadLetter) error {
	err := l.of.attack.DeadLetters.Add(d)
	if err != nil {
		l.of.tally.fail(err)
		l.of.give(err)
	}
	return err
}
