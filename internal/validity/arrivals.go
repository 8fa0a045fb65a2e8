package validity

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

const planRisk = 1e-6

const maxGaps = 20_000

// finestGap is the mean gap in ns below which rounding to nanoseconds distorts the distribution.
const finestGap = 1000

// CheckPlan tests whether the gaps between the due times of a Poisson plan are exponential. It does
// not test gaps between submits, because it would detect microseconds of timer delay.
func CheckPlan(o *observe.Run, r *result.Result) {
	if doubt := o.Plan.Arrival.Spec.Doubt; doubt != nil {
		if s := doubt(o.Plan.Arrival.Values); s != "" {
			r.Doubt(result.Suspect, rundir.CheckPlan, "%s", s)
		}
	}
	mean := float64(observe.Second) / max(o.Plan.Rate(o.Mean), 1e-12)
	if !o.Poisson() || o.Trace.Len() < 30 || mean < finestGap {
		return
	}
	a2, n := andersonDarling(o, mean, func(rec *record.Record) int64 { return rec.Due })
	r.Add(metric.ArrivalsAD, a2)
	if !o.Plan.Virtual {
		issued, _ := andersonDarling(o, mean, func(rec *record.Record) int64 { return rec.Issue })
		r.Add(metric.IssuedAD, issued)
	}
	if p := AndersonDarlingTail(a2); p < planRisk {
		r.Doubt(result.Invalid, rundir.CheckPlan,
			"the gaps between due times are not exponential with mean "+
				"%s: Anderson–Darling A² = %.3g over %d gaps, P = %.1g", text.Seconds(mean/1e9),
			a2, n, p)
	}
}

// andersonDarling returns the Anderson–Darling statistic A² of the gaps against the exponential
// distribution with the given mean in ns (case 0 of Stephens, EDF statistics for goodness of fit,
// JASA 1974, because no parameter is estimated).
func andersonDarling(o *observe.Run,
	mean float64, at func(*record.Record) int64,
) (a2 float64, n int) {
	stride := max(o.Trace.Len()/maxGaps, 1)
	gaps := make([]float64, 0, min(o.Trace.Len(), 2*maxGaps))
	for i := stride; i < o.Trace.Len(); i += stride {
		gap := float64(at(o.Trace.At(i)) - at(o.Trace.At(i-1)))
		gaps = append(gaps, max(gap, 0.5)/mean)
	}
	slices.Sort(gaps)
	n = len(gaps)
	for i, g := range gaps {
		a2 -= float64(2*i+1) * (math.Log(-math.Expm1(-g)) - gaps[n-1-i])
	}
	return a2/float64(n) - float64(n), n
}

// AndersonDarlingTail returns P(A² > a2), which is asymptotically √3 times the tail of ½Z²
// (Zolotarev, Concerning a certain probability problem, 1961). It is 5 % too low at a level of 1 %,
// and more accurate at smaller levels.
func AndersonDarlingTail(a2 float64) float64 {
	return min(math.Sqrt(3)*math.Erfc(math.Sqrt(max(a2, 0))), 1)
}

// pastaErrors is a number of standard errors: one false alarm in 1.7 million runs.
const pastaErrors = 5

// CheckPASTA compares the share of arrivals that find all slots taken with the share of time in
// which they are taken (Wolff, Poisson arrivals see time averages, Operations Research 1982). The
// difference over A arrivals is a martingale with standard error √(p(1−p)/A) for any correlation of
// the queue.
func CheckPASTA(o *observe.Run, r *result.Result, f observe.Flow) {
	if !o.Poisson() || f.Window == 0 || o.Bound() == 0 {
		return
	}
	n := float64(f.Offered)
	seen, there := float64(f.SeenFull)/n, float64(f.FullTime)/float64(f.Window)
	r.Add(metric.SeenFull, seen)
	r.Add(metric.FullShare, there)
	if n*there*(1-there) < 50 {
		return
	}
	if off := (seen - there) / math.Sqrt(there*(1-there)/n); math.Abs(off) > pastaErrors {
		r.Doubt(result.Invalid, rundir.CheckPASTA,
			"%.2f %% of the arrivals found all slots taken, but all slots were taken %.2f %% of "+
				"the time: a difference of %.1f standard errors", 100*seen,
			100*there, math.Abs(off))
	}
}

const (
	lagShare    = 0.05 // mean lag relative to the mean response
	lagInvalid  = 0.5  // relative lag that makes a run INVALID
	shortBehind = 0.01 // shortest stretch that counts, as a share of the run
	minBehind   = 100  // fewest tasks in such a stretch, because short ones occur in any queue
	maxBehind   = 0.1
)

// The lag of a task is the time from its due time to its submit.
func checkLag(o *observe.Run, r *result.Result, first int, m observe.Totals) {
	mean := 0.0
	for i, lag := range o.Trace.Lags() {
		if i >= first {
			mean += float64(lag) / float64(m.N)
		}
	}
	JudgeLag(o, r, mean, m)
}

func JudgeLag(o *observe.Run, r *result.Result, mean float64, m observe.Totals) {
	response, ok := r.Metric(metric.MeanResponse)
	if !ok || response == 0 {
		return
	}
	share := mean / (response * observe.Second)
	rate := m.Rate()
	planned := rate > 0 && !o.Plan.Arrival.IsClosed()
	gap := observe.Second / max(rate, 1e-9)
	p99, hasP99 := r.Metric(metric.P99Lag)
	switch {
	case planned && share > lagInvalid && mean > gap:
		r.Doubt(result.Invalid, rundir.CheckLag,
			"the generator was late by %s on average, a task is due every %s, and lasts %s: the "+
				"lag is %.0f %% of the response time, so the arrivals were not as planned", text.Seconds(mean/1e9), text.Seconds(gap/1e9),
			text.Seconds(response), 100*share)
	case share > lagShare:
		r.Doubt(result.Suspect, rundir.CheckLag,
			"the generator was late by %s on average, %.0f %% of the mean response time (limit "+
				"%.0f %%)", text.Seconds(mean/1e9),
			100*share, 100*lagShare)
	case planned && hasP99 && p99*observe.Second > gap:
		r.Doubt(result.Suspect, rundir.CheckLag,
			"the p99 of the generator's lateness is %s, and a task is due every %s: successive "+
				"tasks were sent at the same time",
			text.Seconds(p99), text.Seconds(gap/1e9))
	}
}

// CheckSaturation looks for stretches in which each submit returned only after the next task was
// due. A strategy may block while all slots are taken, so a stretch counts only if a slot was free
// for at least half of it.
func CheckSaturation(o *observe.Run, r *result.Result, m observe.Totals) {
	t := o.Trace
	whole := float64(t.At(t.Len()-1).Issue - t.At(0).Issue)
	if whole <= 0 {
		return
	}
	free := o.FreeTime()
	behind, worst := 0.0, int64(0)
	for i := 0; i < t.Len(); {
		if !t.At(i).Blocked {
			i++
			continue
		}
		from := i
		latest := int64(0)
		for i < t.Len() && t.At(i).Blocked {
			latest = max(latest, t.At(i).Issue-t.At(i).Due)
			i++
		}
		begin, end := t.At(from).Issue, t.At(i-1).Issue
		if span := float64(end - begin); i-from < minBehind || span < shortBehind*whole ||
			2*free.Between(begin, end) < span {
			continue
		}
		behind += float64(end - begin)
		worst = max(worst, latest)
	}
	share := behind / whole
	if share == 0 {
		return
	}
	verdict := result.Suspect
	if share > maxBehind {
		verdict = result.Invalid
	}
	r.Doubt(verdict, rundir.CheckSaturation,
		"the generator did not sustain %.3g tasks a second for %.0f %% of the run: it was up to "+
			"%s late, although a slot was free most of that time",
		m.Rate(), 100*share, text.Seconds(float64(worst)/1e9))
}
