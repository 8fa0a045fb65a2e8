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

// WithSession returns the attack with sessions of these steps instead of requests. Request number
// seq is step seq mod n of session seq / n, for sessions of n steps.
func (a Attack) WithSession(s *sessions.Session) Attack {
	a.Requests, a.Session = s.Requests()
	return a
}

func (a Attack) steps() []sessions.Step {
	if a.Session == nil {
		return nil
	}
	return a.Session.Steps
}

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
		"session %s: think: the first step is due with its session: want think in later steps, "+
			"or clients, which pause between two sessions", s.Name)
	return wrong
}

const maxSteps = 10_000_000

// A visit is a session in progress. It belongs to one goroutine at a time. A nil visit is valid.
type visit struct {
	of       *sessions.Session
	number   uint64
	step     int
	due      int64 // of the current step
	first    int64 // due time of the first step
	response int64 // response and service: sums over the previous steps
	service  int64
	captured []requests.Value // empty until captured
	names    []string         // of captured
	jar      *sessions.Jar    // nil: no cookie was set
	message  *message
}

func (a Attack) newVisit(number uint64, due int64) *visit {
	return &visit{of: a.Session, number: number, due: due, first: due, names: a.names,
		captured: make([]requests.Value, len(a.names))}
}

func (v *visit) seq() uint64 { return v.number*uint64(len(v.of.Steps)) + uint64(v.step) }

func (v *visit) values() []requests.Value {
	if v == nil {
		return nil
	}
	return v.captured
}

// All captured values and cookies are masked in output.
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

func (v *visit) checks(all checks.List) checks.List {
	if v == nil || len(v.of.Steps[v.step].Checks) == 0 {
		return all
	}
	return slices.Concat(all, v.of.Steps[v.step].Checks)
}

func (v *visit) named(what string) string {
	if v == nil {
		return what
	}
	return v.of.Steps[v.step].Name + ": " + what
}

// Unless a check failed, inspect takes cookies and captures. It returns the name of the failed
// check.
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

func (r *run) endStep(v *visit, s sample) (more bool) {
	v.response += s.end - s.due
	v.service += s.busy
	if v.step++; s.outcome == record.Completed && v.step < len(v.of.Steps) {
		v.due = s.end + int64(v.of.Thinking(r.attack.Seed, v.number, v.step))
		return true
	}
	r.tally.ended(v, s.outcome, s.end)
	return false
}

func (t *tally) ended(v *visit, o record.Outcome, end int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions.End(v.step, o, v.response, v.service, end-v.first)
}

type sessionLoop struct {
	*openLoop
	agenda *sessions.Agenda[*job]
	later  record.Log // of all steps except the first ones
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

func (l *sessionLoop) submitAll(plan *plan) {
	var ahead *job // first step of the next session
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
			return // the signal of the end may be consumed
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
				continue // an earlier step, or the end of the attack
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
			j = l.agenda.Pop() // an earlier step may have been added
		}
		rec, fits := l.addStep(j.due, begins)
		if !fits {
			return
		}
		returned = l.submit(j, rec, issue, held)
	}
}

// Records of later steps are kept apart, because they are not in the order of the plan.
func (l *sessionLoop) addStep(due int64, first bool) (rec bench.Entry, fits bool) {
	if first || l.soak != nil {
		return l.add(due)
	}
	return bench.Entry{Record: l.later.Add(due)}, true
}

func (l *sessionLoop) endStep(v *visit, s sample) {
	if !l.run.endStep(v, s) {
		l.agenda.End()
		return
	}
	l.agenda.Add(v.due, l.newJob(v))
}

// Steps that are due by now are abandoned, and sessions that think end.
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
		if v := l.agenda.Pop().visit; due <= now {
			abandon(v)
		} else {
			l.tally.ended(v, record.Abandoned, now)
		}
	}
}
