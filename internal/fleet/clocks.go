package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/result"
)

type steadyClock struct {
	start  time.Time        // without a monotonic reading
	began  time.Time        // the same time with a monotonic reading
	system func() time.Time // clock of the system
}

func startClock(system func() time.Time) steadyClock {
	if system == nil {
		system = time.Now
	}
	return steadyClock{system().Round(0), time.Now(), system}
}

func (c steadyClock) now() time.Time { return c.start.Add(time.Since(c.began)) }

// step returns by how much the system's clock was changed since the start.
func (c steadyClock) step() time.Duration { return c.system().Round(0).Sub(c.now()) }

type reading struct {
	Time time.Time     // time of the steadyClock
	Step time.Duration // change of the system's clock since the start
}

// An offset is an agent's clock minus the load's clock, with its error bound.
type offset struct {
	value, maxError time.Duration
	step            time.Duration // step of the agent's system clock
}

// The fastest one is used.
const roundTrips = 16

// The reading is between question and answer, so the error is at most half of the round trip.
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
			o.maxError < best.maxError {
			best = o
		}
	}
	return best, nil
}

const (
	// clocks drift by about 50 ppm each; twice the sum for two clocks
	maxDrift = 200e-6
	// scheduling delay between two readings of a clock
	clockSlack = 5 * time.Millisecond
	// the same as a pause that makes a run INVALID, because requests of different agents were sent
	// out of order
	clockInvalid = 100 * time.Millisecond
)

func (r *loading) checkClocks(ctx context.Context) {
	elapsed := time.Since(r.began)
	slack := clockSlack + time.Duration(maxDrift*float64(elapsed))
	r.reportStep("this machine", r.clock.step(), slack)
	for _, p := range r.order {
		if p.agent.Offset, p.agent.OffsetError = p.offset.value, p.offset.maxError; p.agent.Share == nil {
			continue
		}
		now, err := r.measure(ctx, p.member)
		if err != nil { // it has left, but its share has arrived
			now = p.offset
		}
		r.reportStep("the agent on "+p.member.String(), now.step-p.offset.step, slack)
		both := p.offset.maxError + now.maxError
		if jump := now.value - p.offset.value; jump.Abs() > both+slack {
			p.doubt(jump.Abs(), "its clock differed by %v at the beginning and by %v at the end",
				p.offset.value, now.value)
		}
		s := p.agent.Share
		if s.Late > 0 {
			p.doubt(s.Late, "the start command reached the agent %v too late", s.Late)
		}
		if off := s.Began.Sub(r.start.Add(now.value)); s.Requests > 0 &&
			off.Abs() > both+slack {
			p.doubt(off.Abs(), "the agent began %v away from its planned start", off)
		}
		r.mu.Lock()
		ahead := p.maxLead
		r.mu.Unlock()
		if ahead > both+slack {
			p.doubt(ahead, "the times that it reported are %v ahead of the elapsed time", ahead)
		}
	}
}

// A changed system clock alone is no reason to doubt the times, because a steadyClock measures
// them.
func (r *loading) reportStep(whose string, step, slack time.Duration) {
	if step.Abs() > slack {
		sign := "+"
		if step < 0 {
			sign = ""
		}
		r.Say(fmt.Sprintf("the clock of %s was moved by %s%v during the attack, but no result depends on it",
			whose, sign, step.Round(time.Millisecond)))
	}
}

func (p *agentState) doubt(by time.Duration, format string, args ...any) {
	verdict := result.Suspect
	if by > clockInvalid {
		verdict = result.Invalid
	}
	p.agent.Doubts = append(p.agent.Doubts,
		result.Reason{Verdict: verdict, Check: "agent", Text: fmt.Sprintf(format, args...)})
}
