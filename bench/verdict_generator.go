package bench

// What the generator may do before a run is doubted.
const (
	lagShare    = 0.05 // of the mean response, in the mean: it is part of the response
	lagInvalid  = 0.5  // from here on the response is the generator's more than the strategy's
	shortBehind = 0.01 // of the run, and
	fewBehind   = 100  // tasks: shorter stretches without catching up are what any queue has
	// of the run in such stretches; from here on the load was not the planned one
	mostBehind = 0.1
)

// checkGenerator looks at the generator's own lateness, under the real clock.
func (o *observation) checkGenerator(r *Result, first int, m measured) {
	o.checkLag(r, first, m)
	if !o.scenario.Load.Arrival.IsClosed() && !o.scenario.Load.Arrival.Spec.AllAtOnce {
		o.checkSaturation(r, m)
	}
}

// checkLag weighs the lag against what it spoils: it is in the response, and where it exceeds the
// time between arrivals, tasks that were due apart come together.
func (o *observation) checkLag(r *Result, first int, m measured) {
	mean := 0.0
	for i, lag := range o.trace.lags() {
		if i >= first {
			mean += float64(lag) / float64(m.n)
		}
	}
	response, ok := r.Metric("mean-response-sec")
	if !ok || response == 0 {
		return
	}
	share := mean / (response * second)
	rate := m.rate()
	planned := rate > 0 && !o.scenario.Load.Arrival.IsClosed()
	gap := second / max(rate, 1e-9)
	p99, hasP99 := r.Metric("p99-lag-sec")
	switch {
	case planned && share > lagInvalid && mean > gap:
		r.Doubt(Invalid, checkLag, "the generator was late by %s in the mean, where a task is "+
			"due every %s and takes %s: its lag is %.0f %% of the response, and the arrivals "+
			"were not the planned ones",
			spell(mean), spell(gap), spell(response*second), 100*share)
	case share > lagShare:
		r.Doubt(Suspect, checkLag, "the generator was late by %s in the mean, which is %.0f %% "+
			"of the mean response (more than %.0f %% is too much)", spell(mean),
			100*share, 100*lagShare)
	case planned && hasP99 && p99*second > gap:
		r.Doubt(Suspect, checkLag, "the generator was late by %s at the p99, and a task is due "+
			"every %s: tasks that were due one after another came together",
			spell(p99*second), spell(gap))
	}
}

// checkSaturation looks for stretches in which the generator came back from each submit only after
// the next task was due, so that it never caught up. A strategy that blocks makes it do that,
// rightly, while all its places are taken, or all processors compute; what is counted here is the
// time in which one was free.
func (o *observation) checkSaturation(r *Result, m measured) {
	t := o.trace
	whole := float64(t.at(t.n-1).issue - t.at(0).issue)
	if whole <= 0 {
		return
	}
	free := o.freeTime()
	behind, worst := 0.0, int64(0)
	for i := 0; i < t.n; {
		if !t.at(i).held {
			i++
			continue
		}
		from := i
		latest := int64(0)
		for i < t.n && t.at(i).held {
			latest = max(latest, t.at(i).issue-t.at(i).due)
			i++
		}
		begin, end := t.at(from).issue, t.at(i-1).issue
		if span := float64(end - begin); i-from < fewBehind || span < shortBehind*whole ||
			2*free.between(begin, end) < span {
			continue
		}
		behind += float64(end - begin)
		worst = max(worst, latest)
	}
	share := behind / whole
	if share == 0 {
		return
	}
	verdict := Suspect
	if share > mostBehind {
		verdict = Invalid
	}
	r.Doubt(verdict, checkSaturation, "for %.0f %% of the run the generator could not issue %.3g "+
		"tasks a second: it never caught up, by up to %s, though there was a free slot most of "+
		"that time",
		100*share, m.rate(), spell(float64(worst)))
}
