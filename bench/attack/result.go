package attack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/machine/profiles"
	"github.com/poolbench/poolbench/strategies"
)

// Name is the benchmark name of the attack: every axis that is not at its default. Neither seed nor
// port-like chance is part of it, if Label says what is attacked.
func (a Attack) Name() string {
	given := a
	a = a.withDefaults()
	parts := []string{"Attack"}
	add := func(given bool, axis string, value any) {
		if given {
			parts = append(parts, fmt.Sprintf("%s=%v", axis, value))
		}
	}
	add(a.through(), "strategy", a.Strategy)
	add(true, "target", a.label())
	add(a.Clients > 0, "arrival", a.clientsArrival())
	add(a.Clients <= 0, "arrival", a.Arrival)
	add(a.through(), "limit", a.Limit)
	add(a.Rate != 0, "rate", a.Rate)
	add(a.Queue != 0, "queue", max(a.Queue, 0))
	if n := "n"; a.Tasks != 0 {
		if a.Session != nil {
			n = "sessions"
		}
		add(true, n, a.Tasks)
	}
	add(a.Duration != 0, "duration", a.Duration)
	switch given.Workers {
	case 0, DefaultWorkers:
	case Unlimited:
		add(true, "workers", "unlimited")
	default:
		add(true, "workers", given.Workers)
	}
	if a.Session != nil {
		add(true, "session", a.Session.Name)
	}
	add(a.HTTP2, "protocol", "http2")
	add(a.H2C, "protocol", "h2c")
	if p := a.protocol(); p != nil {
		add(true, "protocol", p.Name)
	}
	add(a.UnixSocket != "", "socket", escaped(a.UnixSocket))
	add(a.Connections != 0, "connections", a.Connections)
	add(a.Streams != 0, "streams", a.Streams)
	add(a.Timeout != DefaultTimeout, "timeout", a.Timeout)
	add(a.Drain != DefaultDrain, "drain", a.Drain)
	add(a.Resend, "resend", a.Resend)
	add(a.Agents > 0, "agents", a.Agents)
	add(a.Profile != "", "profile", a.Profile)
	return strings.Join(append(parts, "clock=real"), "/")
}

// clientsArrival is the arrival process of a closed loop.
func (a Attack) clientsArrival() string {
	return fmt.Sprintf("closed:clients=%d,think=0s", a.Clients)
}

// Target is what is attacked, as a reader may be told: without user and password.
func (a Attack) Target() string {
	if a.Label != "" || len(a.Requests) == 0 {
		return a.Label
	}
	target := a.Requests[0].URL
	if a.isTemplate(a.Requests[0]) {
		origin, rest := cutOrigin(withoutUser(a.Requests[0]).URL)
		_, host, _ := strings.Cut(origin, "://")
		path, _, _ := strings.Cut(rest, "?")
		target = host + strings.TrimSuffix(path, "/")
	} else if u, err := url.Parse(target); err == nil {
		target = u.Host + strings.TrimSuffix(u.EscapedPath(), "/")
	}
	if n := len(a.Requests); n > 1 {
		target += "+" + strconv.Itoa(n-1)
	}
	return target
}

// label is the target without what would end a part of a benchmark's name.
func (a Attack) label() string { return escaped(a.Target()) }

func escaped(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c <= ' ' || c == '/' || c == '%' || c == 0x7f {
			b.WriteString(url.QueryEscape(string(c)))
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

func (a Attack) recording() *recording {
	rec := &recording{bench.Recording{Name: a.Name(), Seed: a.Seed, Arrival: a.Arrival,
		Rate: a.Rate, Profile: a.Profile, Follows: a.Session != nil}}
	switch {
	case a.Clients > 0:
		rec.Arrival = arrivals.MustParse(a.clientsArrival())
	case a.through():
		rec.Strategy, rec.Limit, rec.Queue = a.Strategy, a.Limit, a.params().Queue
	case a.boundedWorkers(): // who asks for so many measures what they make of the server
		rec.Limit = a.Workers
		rec.Strategy.Spec = strategies.Spec{Name: "workers", Bound: func(strategies.Params) int {
			return a.Workers
		}}
	}
	return rec
}

// labels are those of its goroutines; nil: nobody asks for them.
func (a Attack) labels() *profiles.Labels {
	if a.Profile == "" {
		return nil
	}
	strategy, _ := a.strategy()
	return profiles.NewLabels(context.Background(), strategy.String(), strategies.AnyClass.String())
}

// report computes the result, and adds what only an attack has.
func (r *run) report() (*Report, error) {
	cause, err := r.ended()
	if err != nil {
		return nil, err
	}
	if r.recording.empty() && (r.from == 0 || cause != nil) {
		return nil, cause
	}
	t := r.tally
	r.recording.finish(r.attack, cause, t.outcomes[records.Abandoned], t.settled())
	res, err := r.result()
	if err != nil {
		return nil, err
	}
	report := &Report{Result: res, Statuses: t.answered(), Errors: sorted(t.errors),
		Failures: t.failures, Traced: t.traced, Over: r.caller.over(), Cut: cause,
		Resumed: r.from > 0}
	report.addSessions(t.sessions)
	return report, nil
}

// addSessions adds what came of sessions, if there were any.
func (r *Report) addSessions(t *sessions.Tally) {
	if t == nil {
		return
	}
	t.Metrics(r.Add)
	if law := t.Broken(r.Tasks); law != "" {
		r.Break(law)
	}
}

// ended hands the recording what was counted, and says what cut the attack short, if anything. The
// error is one that leaves no result.
func (r *run) ended() (cut, err error) {
	t := r.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	nobody, _ := errors.AsType[*nobodyError](r.cause)
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

// A recording is one of an attack.
type recording struct{ bench.Recording }

func (rec *recording) empty() bool { return rec.Len() == 0 }

// finish notes how the attack ended: with so many of its requests abandoned.
func (rec *recording) finish(a Attack, cut error, abandoned, settled int) {
	if stopped, ok := errors.AsType[*Stopped](cut); ok {
		rec.Doubts = append(rec.Doubts,
			bench.Reason{Verdict: bench.Suspect, Check: "stopped early", Text: stopped.Why})
	}
	if rec.Cut = cut != nil; rec.Cut {
		return
	}
	if rec.Duration = a.Duration; abandoned > 0 {
		rec.Doubts = append(rec.Doubts,
			bench.Reason{Verdict: bench.Suspect, Check: "unanswered", Text: fmt.Sprintf(
				"%d of %d requests were still open, or not yet sent, %v after the last one was "+
					"due, "+
					"and are counted as abandoned: the times are those of the others, and too short",
				abandoned, settled, a.Drain)})
	}
}

// result is that of the recording.
func (r *run) result() (*bench.Result, error) {
	res, err := r.recording.Result()
	if err != nil {
		return nil, err
	}
	tellTraces(res, r.tally.traced)
	if a := r.attack; a.Clients == 0 && !a.through() && a.Workers == DefaultWorkers &&
		r.recording.Peak >= DefaultWorkers {
		for i, reason := range res.Reasons {
			if reason.Check == "lag" {
				res.Reasons[i].Text += fmt.Sprintf("; all %d workers, the default, were busy: "+
					"try more, or unlimited", DefaultWorkers)
			}
		}
	}
	return res, nil
}
