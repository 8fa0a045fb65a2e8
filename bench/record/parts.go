package record

// Parts are the parts of a task's response, in nanoseconds. They add up to the response, except for
// Target, which is part of Service.
type Parts struct {
	Lag     int64 // lateness of the generator
	Blocked int64 // until the strategy accepted the task: in Submit, or behind an earlier Submit
	Queued  int64 // then until its first start, or its end if it never started
	Between int64 // from first start to end, without Service: back-off and preemption
	Service int64 // inside Run; for parallel pieces at most the time from first start to end
	Target  int64 // part of Service that the target adds
}

// Parts returns the parts of a settled task. Trace.Lags computes lag.
func (r *Record) Parts(lag int64) (p Parts) {
	first := r.End
	if r.Attempts > 0 {
		first = r.Start
		p.Service = min(r.Busy, r.End-first)
		p.Between = r.End - first - p.Service
		p.Target = min(r.Target, p.Service)
	}
	taken := r.Issue // if unknown, no delay
	if r.Left != 0 { // Submit may return after the start, even after the end
		taken = min(r.Left, first)
	}
	p.Lag, p.Blocked, p.Queued = lag, taken-r.Due-lag, first-taken
	return p
}

// Response returns the sum of the parts.
func (p *Parts) Response() int64 { return p.Lag + p.Blocked + p.Queued + p.Between + p.Service }

// Possible reports whether no part is negative.
func (p *Parts) Possible() bool {
	return min(p.Lag, p.Blocked, p.Queued, p.Between, p.Service, p.Target) >= 0
}
