package attack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/strategies"
)

// A Report is the result of an Attack, with data that a bench.Result has no field for.
type Report struct {
	*bench.Result
	Statuses []Count // answers by status
	// requests without an answer, and answers that failed a check, the most frequent first
	Errors   []Count
	Failures checks.Failures // the first failed answers; nil without checks
	Traced   []Slow          // the slowest requests with a trace, the slowest first: at most 50
	Cut      error           // why the attack ended before its plan; nil: it did not
	// protocol of the requests, unless HTTP/1.1 on connections of our own
	Over string
	// Statuses and Errors lack those of an earlier process, which the Result includes
	Resumed bool
	Agents  []Agent // of a shared attack; nil: not shared
	// number of data rows if each was used exactly once; otherwise 0
	RowsUsedUp int
}

// Break records a broken law, which makes the report INVALID.
func (r *Report) Break(law string) {
	r.Broken = append(r.Broken, law)
	r.Doubt(result.Invalid, rundir.CheckLaw, "%s", law)
	for i, m := range r.Metrics {
		switch m.Unit {
		case metric.BrokenLaws:
			r.Metrics[i].Value++
		case metric.Verdict:
			r.Metrics[i].Value = float64(r.Verdict)
		}
	}
}

// A Count is how often something occurred.
type Count struct {
	What string `json:"what"`
	N    int    `json:"n"`
}

func (a Attack) recording() *bench.Recording {
	rec := &bench.Recording{Name: a.Name(), Seed: a.Seed, Arrival: a.Arrival,
		Rate: a.Rate, Profile: a.Profile, Follows: a.Session != nil, FlatOut: a.FlatOut(),
		Local: a.local()}
	switch {
	case a.Clients > 0:
		rec.Arrival = a.clients()
	case a.through():
		rec.Strategy, rec.Limit, rec.Queue = a.Strategy, a.Limit, a.params().Queue
	case a.MaxInFlight > 0: // chosen by the user, so part of the result
		rec.SetBound(a.MaxInFlight)
	}
	return rec
}

// FlatOut reports whether clients send without a pause.
func (a Attack) FlatOut() bool { return a.Clients > 0 && !a.Session.Thinks() }

func (a Attack) local() bool {
	for _, r := range a.Requests {
		origin, _ := cutOrigin(r.URL)
		u, err := url.Parse(origin)
		if err != nil {
			return false
		}
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && !ip.IsLoopback() {
			return a.UnixSocket != ""
		}
	}
	return true
}

func (a Attack) labels() *machine.ProfileLabels {
	if a.Profile == "" {
		return nil
	}
	strategy, _ := a.strategy()
	return machine.NewProfileLabels(context.Background(), strategy.String(),
		strategies.AnyClass.String())
}

func (r *run) report() (*Report, error) {
	cause, err := r.ended()
	if err != nil {
		return nil, err
	}
	if r.recording.Len() == 0 && (r.from == 0 || cause != nil) {
		return nil, cause
	}
	t := r.tally
	r.attack.finish(r.recording, cause, t.outcomes[record.Abandoned], t.outcomes.Sum())
	res, err := r.result()
	if err != nil {
		return nil, err
	}
	report := &Report{Result: res, Statuses: t.answered(), Errors: sorted(t.errors),
		Failures: t.failures, Traced: t.traced, Over: r.caller.way.spoken(), Cut: cause,
		Resumed: r.from > 0}
	if d := r.attack.Data; r.attack.DataOnce && r.ranOut && r.attack.maxRequests() == len(d.Rows) {
		report.RowsUsedUp = len(d.Rows)
	}
	t.metrics(res)
	report.checkSessions(t.sessions)
	return report, nil
}

func (r *Report) checkSessions(t *sessions.Tally) {
	if t == nil {
		return
	}
	if law := t.Broken(r.Tasks); law != "" {
		r.Break(law)
	}
}

// ended returns why the attack was cut short. After err there is no result.
func (r *run) ended() (cut, err error) {
	t := r.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	nobody, _ := errors.AsType[*NobodyError](r.cause)
	switch {
	case t.writing != nil:
		return nil, t.writing
	case nobody != nil:
		return nil, nobody
	}
	r.recording.Busy, r.recording.Resent = t.busy, r.caller.sentAgain()
	if r.cause == errDrained {
		return nil, nil
	}
	return r.cause, nil
}

func (a Attack) finish(rec *bench.Recording, cut error, abandoned, settled int) {
	if stopped, ok := errors.AsType[*Stopped](cut); ok {
		rec.Doubts = append(rec.Doubts,
			result.Reason{Verdict: result.Suspect, Check: "stopped early", Text: stopped.Why})
	}
	if rec.Cut = cut != nil; rec.Cut {
		return
	}
	if rec.Duration = a.Duration; abandoned > 0 {
		rec.Doubts = append(rec.Doubts,
			result.Reason{Verdict: result.Suspect, Check: "unanswered", Text: fmt.Sprintf(
				"%d of %d requests were still open, or not yet sent, %v after the last planned "+
					"request, and count as abandoned: percentiles do not include them, so they "+
					"are too low",
				abandoned, settled, a.Drain)})
	}
}

func (r *run) result() (*bench.Result, error) {
	res, err := r.recording.Result()
	if err != nil {
		return nil, err
	}
	r.tally.traced.label(res)
	r.tally.slow.label(res)
	return res, nil
}
