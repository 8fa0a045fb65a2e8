package attack

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/machine/pace"
)

// In a closedLoop a request is due when the previous answer arrives, so response and service time
// are equal, and neither includes the requests that a slow server delays.
type closedLoop struct {
	*run
	clients   sync.WaitGroup
	seq       atomic.Uint64
	first, by uint64 // this agent sends requests first, first+by, first+2·by, …
	most      uint64
	until     int64
	sleep     func(context.Context, time.Duration) error // think time
}

// A client belongs to one goroutine at a time: its own, or a ring's.
type client struct {
	of      *closedLoop
	number  int32
	records record.Log
	seq     uint64
	rec     *record.Record
	start   int64
	due     int64 // of the next request
	ring    *ring // nil: not in a ring
	message *message
	own     *message // filled in; nil: none
	visit   *visit   // the current session; nil: none
	flight
}

func (r *run) closed() {
	l := &closedLoop{run: r, until: int64(r.attack.Duration), most: arrivals.MaxTasks}
	if n := r.attack.maxRequests(); n > 0 {
		l.most = uint64(n)
	}
	l.first, l.by = uint64(r.attack.Agent), uint64(max(r.attack.Agents, 1))
	clients := make([]client, (uint64(r.attack.Clients)-l.first+l.by-1)/l.by)
	rings, end := l.rings()
	pauses := r.attack.Session.Thinks() || r.attack.ClientStages != nil
	if l.sleep = pace.Sleep; pauses && !r.attack.virtual {
		alarm := pace.NewAlarm()
		defer alarm.Close()
		l.sleep = alarm.Sleep
	}
	for i := range clients {
		c := &clients[i]
		if c.of, c.number = l, int32(i); len(rings) > 0 {
			c.ring = rings[i%len(rings)]
		}
		l.clients.Add(1)
		go func() {
			c.due = l.now()
			c.sendRequests()
		}()
	}
	l.clients.Wait()
	end()
	r.ranOut = l.first+l.by*l.seq.Load() >= l.most
	r.recording.Peak = int64(len(clients))
	for i := range clients {
		if clients[i].records.Len() > 0 {
			r.recording.Records = append(r.recording.Records, clients[i].records)
		}
	}
}

// sendRequests sends the client's requests until they end or a ring takes over.
func (c *client) sendRequests() {
	for c.next() {
		a := c.of.caller.call(c.of.ctx, c.message)
		c.settle(a, c.of.now())
		if c.ring.takeOver(c) {
			return
		}
	}
	c.of.clients.Done()
}

func (c *client) next() bool {
	l := c.of
	if l.attack.Session != nil {
		return c.nextStep()
	}
	if l.ctx.Err() != nil || l.until > 0 && c.due > l.until || !c.awaitStage() {
		return false
	}
	if c.seq = l.first + l.by*(l.seq.Add(1)-1); c.seq >= l.most {
		if l.most == arrivals.MaxTasks {
			l.give(errFull)
		}
		return false
	}
	if c.message = l.caller.message(c.seq, nil, &c.own); c.message.form != nil {
		c.due = l.now() // filling in the request is not waiting time
	}
	c.rec = c.records.Add(c.due)
	c.start = l.now()
	return true
}

func (c *client) awaitStage() bool {
	l := c.of
	if l.attack.ClientStages == nil {
		return true
	}
	at, more := arrivals.NextActive(l.attack.ClientStages, int(c.number), time.Duration(c.due))
	if !more {
		return false
	}
	if int64(at) > c.due {
		if l.sleep(l.ctx, at-time.Duration(l.now())) != nil {
			return false
		}
		c.due = l.now()
	}
	return true
}

func (c *client) nextStep() bool {
	l := c.of
	if c.visit == nil {
		if l.ctx.Err() != nil || l.until > 0 && c.due > l.until || !c.awaitStage() {
			return false
		}
		number := l.first + l.by*(l.seq.Add(1)-1)
		if number >= l.most {
			return false
		}
		if (number+1)*uint64(len(l.attack.steps())) > maxSteps {
			l.give(errFull)
			return false
		}
		c.visit = l.attack.newVisit(number, c.due)
		c.visit.due += int64(l.attack.Session.Thinking(l.attack.Seed, number, 0))
		c.visit.first = c.visit.due
	}
	v := c.visit
	c.seq = v.seq()
	c.message = l.caller.message(c.seq, v, &c.own)
	err, now := l.ctx.Err(), l.now()
	if v.due <= now {
		v.due = now // filling in the request is not waiting time
	} else if err == nil {
		err = l.sleep(l.ctx, time.Duration(v.due-now))
	}
	if err != nil { // the attack has ended
		l.tally.ended(v, record.Abandoned, l.now())
		c.visit = nil
		return false
	}
	if v.step == 0 {
		v.first = v.due
	}
	c.rec = c.records.Add(v.due)
	c.start = l.now()
	return true
}

func (c *client) settle(a answer, end int64) {
	l := c.of
	s := sample{seq: c.seq, due: c.rec.Due, end: end, busy: end - c.start, visit: c.visit}
	a.expire(s.busy, l.attack.Timeout)
	l.addAnswer(&s, a)
	c.rec.Issue = c.start
	c.rec.Attempt(c.start, s.busy)
	l.settle(c.rec, s)
	if c.due = end; a.kept != nil {
		c.due = l.now() // after the checks
	}
	if c.visit != nil && !l.endStep(c.visit, s) {
		c.visit = nil
	}
	if s.outcome == record.Failed && s.status == 0 {
		_ = pace.Sleep(l.ctx, afterError) // an error means that the attack has ended
		c.due = l.now()
	}
}

// errFull ends a closed loop without a number of requests.
var errFull = fmt.Errorf("%d requests are the most that an attack records", arrivals.MaxTasks)

// Without a pause after a request without an answer, a client would spin and exhaust the ports if
// the server is down.
const afterError = 10 * time.Millisecond

func (r *run) addAnswer(s *sample, a answer) {
	s.status, s.err, s.check = a.status, "", ""
	s.in += a.in
	s.out += a.out
	s.firstByte = a.firstByte
	if a.err != nil {
		r.without(s, a.err.Error())
		r.inspectBroken(s, a)
		return
	}
	if s.outcome = r.attack.outcomeOf(a.status); a.kept != nil {
		r.inspect(s, a)
	}
}
