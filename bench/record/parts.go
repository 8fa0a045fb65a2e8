package record

// Parts are the parts of a task's response, in nanoseconds, which add up to it. Target is not in
// the sum, but a part of Service.
type Parts struct {
	Lag     int64 // the generator's own lateness
	Blocked int64 // until the strategy accepted the task: in Submit, or behind an earlier Submit
	Queued  int64 // from then to its first start, or to its end if it never started
	Between int64 // from its first start to its end, without Service: back-off, turns of others
	Service int64 // inside Run. With parallel pieces at most from first start to end
	Target  int64 // part of Service: time added by the target, by its queue or its slowness
}

// Parts returns the parts of a settled task with that lag of the generator: see Trace.Lags. It is
// inlined.
func (r *Record) Parts(lag int64) (p Parts) {
	first := r.End
	if r.Attempts > 0 {
		first = r.Start
		p.Service = min(r.Busy, r.End-first)
		p.Between = r.End - first - p.Service
		p.Target = min(r.Target, p.Service)
	}
	taken := r.Issue // if unknown, nothing delayed it
	if r.Left != 0 { // Submit may return after the start, even after the end
		taken = min(r.Left, first)
	}
	p.Lag, p.Blocked, p.Queued = lag, taken-r.Due-lag, first-taken
	return p
}

// Response returns their sum.
func (p *Parts) Response() int64 { return p.Lag + p.Blocked + p.Queued + p.Between + p.Service }

// Possible reports whether no part is negative.
func (p *Parts) Possible() bool {
	return min(p.Lag, p.Blocked, p.Queued, p.Between, p.Service, p.Target) >= 0
}
