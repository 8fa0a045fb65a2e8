package attack

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
)

// A plan has only the requests that this agent sends. It is a pure function of the attack.
type plan struct {
	arrivals arrivals.Next
	left     int                   // requests after the current one; below 0: no limit
	until    int64                 // 0: no limit
	mine     func(seq uint64) bool // nil: all
	next     uint64
	seq      uint64 // of the current request, among those of all shares
	due      int64  // of the current request, in ns from the start
	more     bool   // there is a current request
}

func (a Attack) plan() *plan {
	p := a.planFromStart()
	p.advance()
	return p
}

// rest returns the plan at the first remaining request and its time. A closed loop has no plan.
func (a Attack) rest(rec *bench.Recording) (p *plan, from time.Duration) {
	if a.Clients > 0 {
		return nil, 0
	}
	p = a.planFromStart()
	var skipped int
	p.arrivals, skipped, from = rec.Continue(a.Before, p.arrivals,
		bench.Stop{Tasks: a.Tasks, Duration: a.Duration})
	p.next = uint64(skipped)
	if p.left > 0 {
		p.left -= skipped
	}
	p.advance()
	return p, from
}

func (a Attack) planFromStart() *plan {
	next, err := a.Arrival.Spec.Open(a.Rate, a.Seed, a.Arrival.Values)
	if err != nil {
		panic(fmt.Sprintf("attack: ParseVariant let an arrival pass: %v", err))
	}
	p := &plan{arrivals: next, left: -1, until: int64(a.Duration)}
	if n := a.maxRequests(); n > 0 {
		p.left = n
	}
	if a.Agents > 0 {
		p.mine = func(seq uint64) bool { return a.owner(seq) == a.Agent }
	}
	return p
}

// maxRequests returns 0 if the number of requests or sessions is not limited.
func (a Attack) maxRequests() int {
	if a.Tasks == 0 && a.DataOnce && a.Data != nil {
		return len(a.Data.Rows)
	}
	return a.Tasks
}

func (p *plan) advance() {
	for p.more = true; p.more; {
		if p.more = p.left != 0; p.more {
			p.left--
			p.due = int64(p.arrivals())
			p.more = p.until == 0 || p.due <= p.until
		}
		p.seq = p.next
		p.next++
		if p.mine == nil || p.mine(p.seq) {
			return
		}
	}
}

// last is when the last request or session is due if steps of sessions take no time. planned costs
// about 20 ns a request, and stops counting beyond MaxTasks.
func (a Attack) planned() (n int, last time.Duration) {
	for p := a.plan(); p.more && n <= arrivals.MaxTasks; p.advance() {
		end := time.Duration(p.due)
		if a.Session != nil {
			end += a.Session.Thought(a.Seed, p.seq)
		}
		n, last = n+1, max(last, end)
	}
	return n, last
}

// expected is an estimate for a soak, where counting would take long.
func (a Attack) expected() (n int, last time.Duration) {
	about := a.Rate * a.Duration.Seconds()
	if a.maxRequests() > 0 || !a.maySoak() || !a.Arrival.TakesRate() ||
		about*float64(a.perArrival()) <= 2*record.MaxTasks {
		return a.planned()
	}
	n, last = int(about), a.Duration
	if s := a.Session; s != nil {
		const atTheEnd = 1 << 16 // of the sessions
		for seq := uint64(max(0, n-atTheEnd)); seq < uint64(n); seq++ {
			last = max(last, a.Duration+s.Thought(a.Seed, seq))
		}
	}
	return n / max(a.Agents, 1), last
}

func (a Attack) perArrival() int { return max(len(a.steps()), 1) }

// Resolves returns an error if the attack has too few requests for the metric. Closed loops without
// a number of requests are not checked.
func (a Attack) Resolves(unit string) error {
	least, n := observe.MinTasks(unit), a.Tasks
	if a.Clients == 0 {
		a = a.withDefaults()
		a.Agents, a.Agent, a.Before = 0, 0, nil
		n, _ = a.expected()
	}
	what, per := "requests", a.perArrival()
	if metric.IsOfSessions(unit) {
		what, per = "sessions", 1 // one value each
	}
	n *= per
	to, of := 1, 1 // share of the requests that count
	if url, rest, ok := metric.CutURL(unit); ok {
		to, of = a.sentTo(url)
		n, unit = n*to/of, rest+" of "+url
	}
	if n >= least || a.Clients > 0 && n == 0 {
		return nil
	}
	give := fmt.Sprintf("n %d", ((least-1)/to*of)/per+of)
	if a.Tasks == 0 {
		give = "a longer duration"
		if n > 0 {
			times := float64(least) / float64(n)
			give += fmt.Sprintf(", such as %.0fs", math.Ceil(times*a.Duration.Seconds()))
		}
	}
	return fmt.Errorf("%s needs at least %d %s, and only %d are planned: give %s", unit, least, what, n, give)
}

func (a Attack) sentTo(name string) (to, of int) {
	names, rows := a.urlRows()
	row := slices.Index(names, name)
	for _, r := range rows {
		if int(r) == row {
			to++
		}
	}
	return max(to, 1), max(len(rows), 1)
}

func (a Attack) maySoak() bool {
	return a.Clients == 0 && !a.Arrival.Spec.AllAtOnce && a.Arrival.Stages() == nil
}

func (a Attack) soaks(planned int) bool {
	return a.maySoak() && (a.Soak || planned*a.perArrival() > record.MaxTasks)
}

type waiter struct {
	// returns when it is due, on a call by the channel or by interrupt, or at the end of the attack
	wait              func(due int64, called <-chan struct{}) (now int64)
	interrupt, answer func() // answer acknowledges the interrupts so far
	end               func()
}

func (r *run) newWaiter() waiter {
	if !r.attack.virtual {
		p := pace.NewPacer(r.base)
		forget := context.AfterFunc(r.ctx, p.Interrupt)
		return waiter{func(due int64, _ <-chan struct{}) int64 {
			return int64(p.Next(time.Duration(due)))
		}, p.Interrupt, p.Answer, func() { forget(); p.Close() }}
	}
	// the virtual clock counts a goroutine in a system call as busy
	nothing := func() {}
	return waiter{func(due int64, called <-chan struct{}) int64 {
		now := r.now()
		if now >= due { // no timer, as in pace.Sleep
			return now
		}
		timer := time.NewTimer(time.Duration(due - now))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-called:
		case <-r.ctx.Done():
		}
		return r.now()
	}, nothing, nothing, nothing}
}
