package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/strategies"
)

// Run sends the requests and reports their results. If ctx ends first, requests in flight are given
// up, the Report covers the part before, and Report.Cut is set. The error reports an invalid
// attack, one without any request, an unreachable target, or a failure of Attack.Vegeta or
// Attack.DeadLetters.
func Run(ctx context.Context, a Attack) (*Report, error) {
	r, err := start(ctx, a)
	if err != nil {
		return nil, err
	}
	return r.report()
}

func start(ctx context.Context, a Attack) (_ *run, err error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	a = a.withDefaults()
	planned, last := 0, a.Duration
	if a.Clients == 0 {
		var lastDue time.Duration
		planned, lastDue = a.expected()
		if n := len(a.steps()); n*planned > maxSteps && !a.soaks(planned) {
			return nil, fmt.Errorf("%d sessions of %d steps: want up to %d requests; change the "+
				"rate or the time", planned, n, maxSteps)
		}
		if last = cmp.Or(last, lastDue); a.Session != nil {
			last = max(last, lastDue) // includes think time
		}
		if planned == 0 || planned > arrivals.MaxTasks && !a.soaks(planned) {
			return nil, fmt.Errorf("%d requests are due in %v: want 1 to %d; change the rate or "+
				"the time", planned, last, arrivals.MaxTasks)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	caller, err := newCaller(ctx, a, cancel)
	if err != nil {
		if nobody, ok := errors.AsType[*NobodyError](context.Cause(ctx)); ok {
			err = nobody
		}
		return nil, err
	}
	r := &run{attack: a, ctx: ctx, give: cancel, caller: caller, tally: newTally(a, cancel),
		recording: a.recording(), meter: machine.MeterFromContext(ctx), labels: a.labels()}
	r.recording.Calls, r.recording.SoFar = r.caller.calls, r.tally.soFar
	if r.plan, r.from = a.rest(r.recording); r.from == 0 {
		r.tally.before = nil
	}
	r.labels.Harness()
	defer r.caller.close()
	defer context.AfterFunc(ctx, r.caller.close)()
	defer r.watch()()
	stopWatching := r.begin()
	defer r.stopIf()()
	if last > 0 { // closed loops have no planned end
		defer time.AfterFunc(time.Until(r.base)+last+a.Drain, func() { cancel(errDrained) }).Stop()
	}
	if a.Clients > 0 {
		end := r.show(0, last, nil)
		r.closed()
		end()
	} else {
		err = r.open(planned, last)
		r.ranOut = r.plan.left == 0
	}
	stopWatching(r.base)
	r.cause = context.Cause(ctx)
	return r, err
}

// The machine is watched from watchLead before a Start.
const watchLead = 20 * time.Millisecond

func (r *run) begin() (stopWatching func(time.Time)) {
	stopWatching = func(time.Time) {}
	at := r.attack.Start
	if !at.IsZero() {
		_ = pace.Sleep(r.ctx, time.Until(at)-watchLead) // the attack has ended
	}
	if !r.attack.virtual {
		stopWatching = r.recording.Watch()
	}
	if r.base = time.Now().Add(-r.from); !at.IsZero() {
		r.late = max(r.base.Sub(at), 0)
		_ = pace.Sleep(r.ctx, time.Until(at))
		r.base = at
	}
	r.tally.base = r.base
	return stopWatching
}

var errDrained = errors.New("the drain time has expired")

type run struct {
	attack    Attack
	ctx       context.Context
	give      context.CancelCauseFunc // ends the attack
	caller    *caller
	tally     *tally
	recording *bench.Recording
	labels    *machine.ProfileLabels
	meter     *machine.Meter // for progress displays; nil: none
	plan      *plan
	from      time.Duration // when plan begins: above 0 for a resumed soak
	base      time.Time     // the start
	late      time.Duration // how late the Start was
	cause     error         // why it ended early
	ranOut    bool          // all of Attack.most was sent
}

func (r *run) now() int64 { return int64(time.Since(r.base)) }

func (r *run) without(s *sample, why string) {
	if mayQuoteInput(why) {
		why = requests.MaskValues(why, r.caller.secrets(s.seq, s.visit))
	}
	s.err, s.outcome = Shown(why), record.Failed
	if r.ctx.Err() != nil { // its connection was closed for that
		s.err, s.outcome = strategies.ErrAbandoned.Error(), record.Abandoned
	}
}

// mayQuoteInput reports whether an error may quote a URL or the server. Masking secrets takes
// longer than most requests, so other errors are not searched.
func mayQuoteInput(text string) bool {
	return strings.ContainsAny(text, `"?=`) || strings.Contains(text, "malformed")
}

func (r *run) settle(rec *record.Record, s sample) {
	rec.Settle(s.outcome, s.end)
	r.meter.Settle(s.seq, machine.Outcome(s.outcome), s.status, time.Duration(s.end-s.due))
	r.tally.add(s)
	if s.outcome != record.Completed {
		s.firstByte = 0
	}
	r.caller.calls.Count(s.out, s.in, s.firstByte)
}
