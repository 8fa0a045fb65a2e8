package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// An offset is an agent's clock less this one's, and how wrong that may be.
type offset struct{ of, wrong time.Duration }

// roundTrips are made for an offset; the fastest tells it best.
const roundTrips = 16

// measure asks an agent for the time. Its answer is of some instant between the question and the
// answer, so that half of the round trip is the error at most.
func (r *loading) measure(ctx context.Context, m Member) (best offset, err error) {
	asking, cancel := context.WithTimeout(ctx, r.Timing.Lost)
	defer cancel()
	for i := range roundTrips {
		asked := time.Now()
		reply, err := r.Conn.RequestWithContext(asking, agentSubject+"."+m.ID+".clock", nil)
		trip := time.Since(asked)
		if err != nil {
			return best, err
		}
		var at time.Time
		if err := json.Unmarshal(reply.Data, &at); err != nil {
			return best, err
		}
		if o := (offset{at.Sub(asked.Add(trip / 2).Round(0)), trip/2 + 1}); i == 0 ||
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
	for _, p := range r.order {
		if p.agent.Offset, p.agent.OffsetError = p.offset.of, p.offset.wrong; p.agent.Share == nil {
			continue
		}
		slack := clockSlack + time.Duration(mostDrift*float64(elapsed))
		now, err := r.measure(ctx, p.member)
		if err != nil { // it has gone since; what it sent is there
			now = p.offset
		}
		both := p.offset.wrong + now.wrong
		if jump := now.of - p.offset.of; jump.Abs() > both+slack {
			p.doubt(jump.Abs(), "its clock was off by %v at the beginning and by %v at the end",
				p.offset.of, now.of)
		}
		s := p.agent.Share
		if s.Late > 0 {
			p.doubt(s.Late, "the command to start reached it %v too late", s.Late)
		}
		if off := s.Began.Sub(r.began.Add(now.of).Round(0)); s.Requests > 0 &&
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

// doubt doubts the agent by how much it is off.
func (p *party) doubt(by time.Duration, format string, args ...any) {
	verdict := bench.Suspect
	if by > clockInvalid {
		verdict = bench.Invalid
	}
	p.agent.Doubts = append(p.agent.Doubts,
		bench.Reason{Verdict: verdict, Check: "agent", Text: fmt.Sprintf(format, args...)})
}
