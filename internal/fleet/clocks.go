package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
)

// A steadyClock shows the time of day at its start plus the time that has passed since: setting the
// system's clock does not move it.
type steadyClock struct {
	start  time.Time        // without a monotonic reading
	began  time.Time        // the same instant, with one
	system func() time.Time // the system's clock
}

// startClock starts a clock by that of the system; nil is time.Now.
func startClock(system func() time.Time) steadyClock {
	if system == nil {
		system = time.Now
	}
	return steadyClock{system().Round(0), time.Now(), system}
}

// now returns the time, without a monotonic reading.
func (c steadyClock) now() time.Time { return c.start.Add(time.Since(c.began)) }

// step is by how much the system's clock has been set since the start.
func (c steadyClock) step() time.Duration { return c.system().Round(0).Sub(c.now()) }

// A reading is an agent's answer to a load that asks for the time.
type reading struct {
	Time time.Time     // of a clock that no setting moves
	Step time.Duration // by which the system's clock has been set so far
}

// An offset is an agent's clock less this one's, and how wrong that may be.
type offset struct {
	of, wrong time.Duration
	step      time.Duration // of its system's clock
}

// roundTrips are made for an offset; the fastest tells it best.
const roundTrips = 16

// measure asks an agent for the time. Its answer is of some instant between the question and the
// answer, so that half of the round trip is the error at most.
func (r *loading) measure(ctx context.Context, m Member) (best offset, err error) {
	asking, cancel := context.WithTimeout(ctx, r.Timing.Lost)
	defer cancel()
	for i := range roundTrips {
		reply, asked, trip, err := r.request(asking, m, "clock", nil)
		if err != nil {
			return best, err
		}
		var at reading
		if err := json.Unmarshal(reply, &at); err != nil {
			return best, err
		}
		if o := (offset{at.Time.Sub(asked.Add(trip / 2)), trip/2 + 1, at.Step}); i == 0 ||
			o.wrong < best.wrong {
			best = o
		}
	}
	return best, nil
}

// What clocks may do before an agent is doubted.
const (
	// drift of two clocks is some 50 parts in a million each; twice that is none that is well
	mostDrift = 200e-6
	// what a scheduler may take between two readings of one clock
	clockSlack = 5 * time.Millisecond
	// as much as a pause that makes a run invalid: requests of agents that were due one after
	// another came in another order
	clockInvalid = 100 * time.Millisecond
)

// look measures the clocks again, and doubts agents whose times cannot be right.
func (r *loading) look(ctx context.Context) {
	elapsed := time.Since(r.began)
	slack := clockSlack + time.Duration(mostDrift*float64(elapsed))
	r.tellStep("this machine", r.clock.step(), slack)
	for _, p := range r.order {
		if p.agent.Offset, p.agent.OffsetError = p.offset.of, p.offset.wrong; p.agent.Share == nil {
			continue
		}
		now, err := r.measure(ctx, p.member)
		if err != nil { // it has gone since; what it sent is there
			now = p.offset
		}
		r.tellStep("the agent on "+p.member.String(), now.step-p.offset.step, slack)
		both := p.offset.wrong + now.wrong
		if jump := now.of - p.offset.of; jump.Abs() > both+slack {
			p.doubt(jump.Abs(), "its clock was off by %v at the beginning and by %v at the end",
				p.offset.of, now.of)
		}
		s := p.agent.Share
		if s.Late > 0 {
			p.doubt(s.Late, "the command to start reached it %v too late", s.Late)
		}
		if off := s.Began.Sub(r.start.Add(now.of)); s.Requests > 0 &&
			off.Abs() > both+slack {
			p.doubt(off.Abs(), "it began %v off its planned start", off)
		}
		r.mu.Lock()
		ahead := p.ahead
		r.mu.Unlock()
		if ahead > both+slack {
			p.doubt(ahead, "its times are %v ahead of the elapsed time", ahead)
		}
	}
}

// tellStep reports that a system's clock was set. That alone makes no agent doubtful: times are
// measured on clocks that this does not move.
func (r *loading) tellStep(whose string, step, slack time.Duration) {
	if step.Abs() > slack {
		sign := "+"
		if step < 0 {
			sign = ""
		}
		r.Say(fmt.Sprintf("the clock of %s was moved by %s%v during the attack; no result depends on it",
			whose, sign, step.Round(time.Millisecond)))
	}
}

// doubt doubts the agent by how much it is off.
func (p *party) doubt(by time.Duration, format string, args ...any) {
	verdict := bench.Suspect
	if by > clockInvalid {
		verdict = bench.Invalid
	}
	p.agent.Doubts = append(p.agent.Doubts,
		result.Reason{Verdict: verdict, Check: "agent", Text: fmt.Sprintf(format, args...)})
}
