package record

// Parts are what the response of a task is made of, in nanoseconds: they add up to it. Target is
// no part of the sum but of Service.
type Parts struct {
	Lag     int64 // the generator's own lateness
	Blocked int64 // until the strategy took the task: in Submit, or behind one that was there
	Queued  int64 // from then to its first start, or to its end where it never started
	Between int64 // from its first start to its end, less Service: back-off, turns of others
	Service int64 // inside Run; where pieces run side by side, at most from first start to end
	Target  int64 // of Service: what the target added to the work, by its queue or its slowness
}

// Parts returns those of a task that was settled and that the generator turned to so much later
// than one that is never late: see Trace.Lags. It is inlined.
func (r *Record) Parts(lag int64) (p Parts) {
	first := r.End
	if r.Attempts > 0 {
		first = r.Start
		p.Service = min(r.Busy, r.End-first)
		p.Between = r.End - first - p.Service
		p.Target = min(r.Target, p.Service)
	}
	taken := r.Issue // where nobody has said, nothing held it
	if r.Left != 0 { // Submit may return after the start, even after the end
		taken = min(r.Left, first)
	}
	p.Lag, p.Blocked, p.Queued = lag, taken-r.Due-lag, first-taken
	return p
}

// Response is their sum.
func (p *Parts) Response() int64 { return p.Lag + p.Blocked + p.Queued + p.Between + p.Service }

// Possible reports whether each of them is a length of time.
func (p *Parts) Possible() bool {
	return min(p.Lag, p.Blocked, p.Queued, p.Between, p.Service, p.Target) >= 0
}
