package attack

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/text"
)

// WithSession is the attack with sessions of these steps in place of requests. Request number seq
// is step seq mod n of session number seq / n, where a session has n steps.
func (a Attack) WithSession(s *sessions.Session) Attack {
	a.Requests, a.Session = s.Requests()
	return a
}

// steps are those of the sessions; none: there are no sessions.
func (a Attack) steps() []sessions.Step {
	if a.Session == nil {
		return nil
	}
	return a.Session.Steps
}

// checkSession finds what does not go together with sessions.
func (a Attack) checkSession() (wrong text.Complaints) {
	s := a.Session
	if s == nil {
		return nil
	}
	wrong.Note(s.Validate())
	if len(a.Requests) != len(s.Steps) {
		wrong.Add("session %s: it has %d steps, and there are %d requests", s.Name, len(s.Steps),
			len(a.Requests))
		return wrong
	}
	wrong.If(a.protocol() != nil, "session: %s has no sessions; want http or https",
		nameOf(a.protocol()))
	wrong.If(a.Clients == 0 && len(s.Steps) > 0 && s.Steps[0].Think.Dist != nil,
		"session %s: think: the first step is due when the session is; want it of later steps, or "+
			"clients, who pause between two sessions", s.Name)
	return wrong
}

// maxSteps bounds the requests of sessions where a record is kept of each.
const maxSteps = 10_000_000

// A visit is a session under way: it has one step at a time, and is in the hands of one goroutine
// at a time. A nil one is none: of what is asked of it there is nothing.
type visit struct {
	of       *sessions.Session
	number   uint64
	step     int
	due      int64            // of it
	first    int64            // due of the first step
	response int64            // of the steps before
	service  int64            // of the steps before
	captured []requests.Value // what is not captured yet is empty
	names    []string         // of it
	jar      *sessions.Jar    // nil: no cookie was set
	message  *message         // of the step
}

func (a Attack) newVisit(number uint64, due int64) *visit {
	return &visit{of: a.Session, number: number, due: due, first: due, names: a.names,
		captured: make([]requests.Value, len(a.names))}
}

// seq is the number of the request at hand.
func (v *visit) seq() uint64 { return v.number*uint64(len(v.of.Steps)) + uint64(v.step) }

func (v *visit) values() []requests.Value {
	if v == nil {
		return nil
	}
	return v.captured
}

// secrets are what the session has learned: it is shown nowhere.
func (v *visit) secrets() (all []requests.Secret) {
	if v == nil {
		return nil
	}
	for _, c := range v.captured {
		all = append(all, requests.Private(c.Text))
	}
	if v.jar != nil {
		for _, value := range v.jar.Values() {
			all = append(all, requests.Private(value))
		}
	}
	return all
}

// secretsIn are those that the answer to the step at hand has for the session to learn.
func (v *visit) secretsIn(k *checks.Answer) (all []requests.Secret) {
	if v == nil {
		return nil
	}
	captures := v.of.Steps[v.step].Captures
	for i := range captures {
		if value, err := captures[i].Take(k); err == nil {
			all = append(all, requests.Private(value.Text))
		}
	}
	return all
}

func (v *visit) hasCookies() bool { return v != nil && v.jar != nil }

// client is one of net/http's that follows redirects, and keeps the cookies of the session.
func (v *visit) client(by http.RoundTripper, redirects int) *http.Client {
	c := &http.Client{Transport: by}
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		switch {
		case len(via) <= redirects:
			if leaves(r, via) {
				dropHeaders(r)
			}
			return nil
		case redirects == 0:
			return http.ErrUseLastResponse
		}
		return fmt.Errorf("more than %d redirects", redirects)
	}
	if v == nil {
		return c
	}
	if v.jar == nil {
		v.jar = sessions.NewJar()
	}
	c.Jar = v.jar
	return c
}

// checks are those of the step at hand, beside those of all.
func (v *visit) checks(all checks.List) checks.List {
	if v == nil || len(v.of.Steps[v.step].Checks) == 0 {
		return all
	}
	return slices.Concat(all, v.of.Steps[v.step].Checks)
}

// named says of which step something is.
func (v *visit) named(what string) string {
	if v == nil {
		return what
	}
	return v.of.Steps[v.step].Name + ": " + what
}

// inspect takes cookies and captures from an answer, unless a check has failed, and returns the
// name of the failed check.
func (v *visit) inspect(k *checks.Answer, stored bool, failed string) string {
	err := v.keepCookies(k, stored)
	if failed == "" && err != nil {
		failed = "cookies (" + err.Error() + ")"
	}
	if failed != "" {
		return v.named(failed)
	}
	captures := v.of.Steps[v.step].Captures
	for i := range captures {
		value, err := captures[i].Take(k)
		if err != nil {
			return v.named(err.Error())
		}
		v.captured[slices.Index(v.names, captures[i].Name)] = value
	}
	return ""
}

// keepCookies has the jar take those of an answer, if nobody has seen to that.
func (v *visit) keepCookies(k *checks.Answer, stored bool) error {
	if !stored && k.Value("Set-Cookie") != "" {
		if v.jar == nil {
			v.jar = sessions.NewJar()
		}
		v.message.complete()
		with := http.Response{Header: k.Fields()}
		v.jar.SetCookies(v.message.built.URL, with.Cookies())
	}
	if v.jar == nil {
		return nil
	}
	return v.jar.Err()
}

// goesOn notes the end of the step at hand. more says that there is another one, which is at hand
// then.
func (r *run) goesOn(v *visit, s sample) (more bool) {
	v.response += s.end - s.due
	v.service += s.busy
	if v.step++; s.outcome == record.Completed && v.step < len(v.of.Steps) {
		v.due = s.end + int64(v.of.Thinking(r.attack.Seed, v.number, v.step))
		return true
	}
	r.tally.ended(v, s.outcome, s.end)
	return false
}

// ended counts a session that has sent the steps before the one at hand.
func (t *tally) ended(v *visit, o record.Outcome, end int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions.End(v.step, o, v.response, v.service, end-v.first)
}

// A sessionLoop is the part of an open loop that has sessions submit one step after another.
type sessionLoop struct {
	*openLoop
	agenda *sessions.Agenda[*job]
	later  record.Log // of the steps behind the first ones
	waiter
}

func (t *openLoop) newSessionLoop() *sessionLoop {
	w := t.newWaiter()
	return &sessionLoop{openLoop: t, agenda: sessions.NewAgenda[*job](w.interrupt), waiter: w}
}

func (t *openLoop) newJob(v *visit) *job {
	j := t.idle.Get().(*job)
	j.sample = sample{seq: v.seq(), due: v.due, visit: v}
	j.fill()
	return j
}

// submitAll issues the first step of each session when the plan says, and the others when they
// are due, until all sessions or the attack have ended.
func (l *sessionLoop) submitAll(plan *plan) {
	var ahead *job // the first step of the session that begins next
	for returned := l.now(); l.ctx.Err() == nil; {
		if ahead == nil && plan.more {
			ahead = l.newJob(l.attack.newVisit(plan.seq, plan.due))
		}
		j, due, ok, live := l.agenda.Look(l.answer)
		begins := ahead != nil && (!ok || plan.due <= due)
		if begins {
			j, due, ok = ahead, plan.due, true
		}
		if l.ctx.Err() != nil || !ok && live == 0 {
			return // the call of its end may have been answered
		}
		if !ok {
			select {
			case <-l.agenda.Called:
			case <-l.ctx.Done():
			}
			continue
		}
		issue, held := returned, returned >= due
		if !held {
			if issue = l.wait(due, l.agenda.Called); issue < due {
				continue // there is an earlier one, or the attack has ended
			}
		}
		if l.ctx.Err() != nil {
			return
		}
		if begins {
			l.agenda.Begin()
			ahead = nil
			plan.advance()
		} else {
			j = l.agenda.Take() // by now there may be one that is due before
		}
		rec, fits := l.addStep(j.due, begins)
		if !fits {
			return
		}
		returned = l.submit(j, rec, issue, held)
	}
}

// addStep is add of a step. Where records are kept, those behind the first ones are apart, since
// they are not in the order of the plan.
func (l *sessionLoop) addStep(due int64, first bool) (rec bench.Entry, fits bool) {
	if first || l.soak != nil {
		return l.add(due)
	}
	return bench.Entry{Record: l.later.Add(due)}, true
}

// goesOn has the session of a job that is done go on.
func (l *sessionLoop) goesOn(v *visit, s sample) {
	if !l.run.goesOn(v, s) {
		l.agenda.End()
		return
	}
	l.agenda.Add(v.due, l.newJob(v))
}

// abandonRest settles what is due by now and not sent, and ends the sessions that think.
func (l *sessionLoop) abandonRest(plan *plan) {
	now := l.now()
	abandon := func(v *visit) {
		rec, fits := l.addStep(v.due, v.step == 0)
		if !fits {
			return
		}
		l.abandon(rec, sample{seq: v.seq(), due: v.due, visit: v})
		v.step++
		l.tally.ended(v, record.Abandoned, now)
	}
	for ; l.full == nil && plan.more && plan.due <= now; plan.advance() {
		abandon(l.attack.newVisit(plan.seq, plan.due))
	}
	for l.full == nil {
		_, due, ok, _ := l.agenda.Look(func() {})
		if !ok {
			return
		}
		if v := l.agenda.Take().visit; due <= now {
			abandon(v)
		} else {
			l.tally.ended(v, record.Abandoned, now)
		}
	}
}
