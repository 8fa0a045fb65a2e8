package attack

import (
	"time"

	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/bench/records"
)

// checkPlanned walks the plan, and holds the due times of each share against it. It returns how
// many requests the part of each agent has, nil for a closed loop.
func (a Attack) checkPlanned(agents []Agent, cut error) (planned []int) {
	if a.Clients > 0 {
		return nil
	}
	planned = make([]int, len(agents))
	wrong := make([]bool, len(agents))
	whole := a
	whole.Agents, whole.Agent = 0, 0
	for p := whole.plan(); p.more; p.advance() {
		k := a.owner(p.seq)
		at := planned[k]
		planned[k]++
		s := agents[k].Share
		if s == nil || s.Summed != nil || wrong[k] || len(s.Records) == 0 ||
			at >= s.Records[0].Len() {
			continue
		}
		if due := s.Records[0].At(uint64(at)).Due; due != p.due {
			wrong[k] = true
			agents[k].doubt("request %d is due after %v, and by its "+
				"records after %v: it sent another plan", p.seq, time.Duration(p.due),
				time.Duration(due))
		}
	}
	for k, n := range planned {
		s := agents[k].Share
		switch {
		case s == nil || wrong[k] || s.begun() == n:
		case s.begun() > n || s.Cut == "" || cut == nil:
			why := ""
			if s.Cut != "" {
				why = ": " + s.Cut
			}
			agents[k].doubt("it has %d of the %d requests of its "+
				"share%s", s.begun(), n, why)
		}
	}
	return planned
}

// begun is how many of the plan were sent, or begun.
func (s *Share) begun() int {
	if s.Sessions != nil {
		return s.Sessions.Begun
	}
	return s.Requests
}

// checkCounts holds what the agent counted against its records.
func (g *Agent) checkCounts(cut error) {
	s := g.Share
	if s == nil {
		return
	}
	if s.Cut != "" && cut == nil {
		g.doubt("it ended before its plan: %s", s.Cut)
	}
	counted, statuses := sessions.Outcomes(s.Outcomes), 0
	settled := counted.Sum()
	for _, c := range s.Statuses {
		statuses += c.N
	}
	if s.Sessions != nil {
		if law := s.Sessions.Broken(s.Requests); law != "" {
			g.doubt("%s", law)
		}
	}
	if settled != s.Requests || statuses > s.Requests {
		g.doubt("it counted %d requests, but %d outcomes and %d "+
			"statuses", s.Requests, settled, statuses)
	}
	if s.Summed != nil {
		if s.Summed.Tasks != s.Requests {
			g.doubt("it counted %d requests, but its result has %d",
				s.Requests, s.Summed.Tasks)
		}
		return
	}
	var outcomes [records.Abandoned + 1]int
	n, busy := 0, int64(0)
	for _, l := range s.Records {
		n += l.Len()
		for i := range uint64(l.Len()) {
			r := l.At(i)
			outcomes[r.Outcome]++
			busy += r.Busy
		}
	}
	switch {
	case n != s.Requests:
		g.doubt("it counted %d requests, and sent records of %d",
			s.Requests, n)
	case outcomes != s.Outcomes:
		g.doubt("it counted %v completed, failed, throttled, shed and "+
			"abandoned, and its records have %v", s.Outcomes[records.Completed:],
			outcomes[records.Completed:])
	case busy != s.Busy:
		g.doubt("it counted %v in requests, and its records have %v",
			time.Duration(s.Busy), time.Duration(busy))
	}
}
