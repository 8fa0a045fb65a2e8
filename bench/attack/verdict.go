package attack

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// How late requests may be sent, in the mean, as a share of the mean response that it is part of, before an attack is suspect; and from where
// on the response is the generator's more than the target's, if it is late by more than the time between requests as well.
const (
	lagShare   = 0.05
	lagInvalid = 0.5
)

// checkLaw is the name of the check of the laws, as bench has it.
const checkLaw = "broken law"

// judge says whether the report may be believed: laws, the machine while it went on, and the generator's own lateness.
func (r *run) judge(res *bench.Result, w *bench.Witness) {
	for _, law := range res.Broken {
		res.Doubt(bench.Invalid, checkLaw, "%s", law)
	}
	if w != nil {
		t := r.tally
		w.Judge(res, false, func(from, to int64) int {
			if span := t.lastDue - t.firstDue; span > 0 {
				overlap := min(to, t.lastDue) - max(from, t.firstDue)
				return int(float64(t.offered) * float64(max(overlap, 0)) / float64(span))
			}
			return 0
		})
	}
	r.checkLag(res)
	res.Metrics = append(res.Metrics, bench.Metric{Unit: "verdict", Value: float64(res.Verdict)})
}

// checkLag weighs the lag against the response, which counts from the due time and so holds it. Requests that are sent late because every worker
// was busy are the tool's fault if it chose their number, and what was asked for if somebody else did: then they are the limit that is measured.
func (r *run) checkLag(res *bench.Result) {
	response, ok := res.Metric("mean-response-sec")
	n := r.tally.lag.histogram.TotalCount()
	if !ok || response == 0 || n == 0 || r.attack.Clients > 0 { // clients of a closed loop have no due times to miss
		return
	}
	lag := r.tally.lag.sum / float64(n) / second
	share := lag / response
	if share <= lagShare {
		return
	}
	said := func(verdict bench.Verdict, why string) {
		res.Doubt(verdict, "lag", "requests were sent %v late in the mean, which is %.0f %% of the mean response (more than %.0f %% is too much): %s",
			time.Duration(lag*second).Round(time.Microsecond), 100*share, 100*lagShare, why)
	}
	workers := r.attack.Workers
	switch busy := workers != Unlimited && !r.attack.through() && r.tally.peak >= workers; {
	case busy && workers == DefaultWorkers:
		said(bench.Suspect, fmt.Sprintf("all %d workers were busy; try more workers, or unlimited", workers))
	case busy:
	case share > lagInvalid && r.attack.Rate > 0 && lag*r.attack.Rate > 1: // the arrivals were not the planned ones
		said(bench.Invalid, "the generator did not keep up")
	default:
		said(bench.Suspect, "the generator did not keep up")
	}
}
