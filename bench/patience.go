package bench

import (
	"context"
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench/record"
)

var errGaveUp = errors.New("the caller gave up")

func (s Scenario) newPatience() *thinker {
	if s.Patience == nil {
		return nil
	}
	return newThinker(s.Seed, patienceStream, s.Patience)
}

func (j *job) setGone(patience *thinker, due int64) {
	if j.gone = 0; patience != nil {
		j.gone = due + max(patience.time(j.seq), 1)
	}
}

// The context has no deadline, because a strategy that knows the deadline could refuse tasks that
// it cannot start in time.
func (d *driver) submitContext(ctx context.Context, j *job) (context.Context, func()) {
	if j.gone == 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	left := j.gone - d.now()
	if left <= 0 {
		cancel(errGaveUp)
		return ctx, func() {}
	}
	timer := time.AfterFunc(time.Duration(left), func() { cancel(errGaveUp) })
	return ctx, func() {
		if ctx.Err() == nil {
			timer.Stop()
		}
		cancel(nil)
	}
}

func (d *driver) hasGone(j *job) bool { return j.gone != 0 && d.now() >= j.gone }

func (d *driver) limit(ctx context.Context, j *job) (context.Context, context.CancelFunc) {
	cancelOuter := func() {}
	if j.gone != 0 {
		ctx, cancelOuter = context.WithDeadlineCause(ctx,
			d.base.Add(time.Duration(j.gone)), errGaveUp)
	}
	if d.scenario.Timeout == 0 {
		return ctx, cancelOuter
	}
	ctx, cancel := context.WithTimeout(ctx, d.scenario.Timeout)
	return ctx, func() {
		cancel()
		cancelOuter()
	}
}

// A task that is not done when its caller gives up counts as GaveUp, whatever the strategy reports
// later. If it was started, it ends when it leaves its slot.
func (d *driver) settle(j *job, err error) {
	rec := j.rec
	rec.End, rec.Outcome = d.now(), outcomeOf(err)
	if j.gone == 0 || rec.End < j.gone ||
		rec.End == j.gone && rec.Outcome == record.Completed {
		return
	}
	rec.Outcome = record.GaveUp
	if rec.Attempts == 0 {
		rec.End = j.gone
	}
}
