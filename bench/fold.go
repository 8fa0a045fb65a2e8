package bench

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/internal/statistics/samples"
)

// A fold is what a soak keeps of its records, which it is given in the order of their due times:
// sums, histograms of three digits, the course, and what the laws and the oracle need to go on. It
// takes a few megabytes and what the tasks in the system take, however long the run is.
type fold struct {
	o     *observation
	begun observation // that, as it was when the run began
	cut   bool        // what comes behind the last that was added is not there
	// the run is that of a second part; nil: it has one
	second *continuation

	first int   // the tasks before are the warm-up: their number or, of a run of a given time,
	warm  int64 // until when they are due
	n     int   // tasks of the plan so far
	begin int64 // the first due
	due   int64 // the last

	m      measured
	flow   flowing
	oracle oracle
	lag    records.Lagging
	stood  heldSum
	parts  partSums
	slow   slowest

	times  [3]distribution // response, wait, service
	lags   *hdrhistogram.Histogram
	late   float64 // sum of the lags
	course course
	// of what checkDrift looks at
	trend    batched
	drifting func(*records.Record) int64
	waits    batched
	tail     tails
	done     batched // 1 for each that was completed, else 0
}

// A distribution is a histogram with the exact mean and maximum beside it.
type distribution struct {
	h       *hdrhistogram.Histogram
	sum     float64
	longest int64
}

// The histograms have three digits: a quantile is within 0.1 %.
const (
	foldDigits = 3
	foldError  = 0.001
)

// longestTime is what a histogram of a soak goes up to, beyond what any task may take.
const longestTime = int64(4 * 87_600 * time.Hour)

// newFold is for a run that takes about that time; second is nil unless the run is one.
func newFold(o *observation, span time.Duration, second *continuation) *fold {
	s := o.plan
	f := &fold{o: o, begun: *o, first: math.MaxInt,
		course: course{length: max(int64(span)/intervals, 1)},
		flow:   flowing{o: o, bound: o.bound()}, oracle: o.newOracle(), stood: heldSum{per: 1},
		lags: hdrhistogram.New(1, longestTime, foldDigits)}
	_, f.drifting = o.drifting()
	if s.Tasks > 0 {
		f.first = int(s.Warmup * float64(s.Tasks))
	} else {
		f.warm = int64(s.Warmup * float64(s.Duration))
	}
	if f.begin = -1; second != nil {
		f.second, f.course, f.n = second, second.course(), second.skipped
		f.first, f.due = max(f.first, f.n), second.from
		f.flow.from, f.flow.now = second.from, second.from
	}
	for i := range f.times {
		f.times[i].h = hdrhistogram.New(1, longestTime, foldDigits)
	}
	return f
}

// isOf says what the run was as it ended, and whether what comes behind the last that was added is
// not there.
func (f *fold) isOf(o *observation, cut bool) { f.o, f.flow.o, f.cut = o, o, cut }

// add takes note of the next record.
func (f *fold) add(r *records.Record) {
	i := f.n
	f.n++
	if f.begin < 0 {
		if f.begin = r.Due; f.second == nil {
			f.course.begin = r.Due
		}
	}
	if f.first == math.MaxInt && r.Due >= f.warm {
		f.first = i
	}
	counts := i >= f.first
	if i == f.first {
		f.m.from = f.due // the gap before the first that counts
		f.m.firstDue = r.Due
	}
	f.due = r.Due
	lag := f.lag.Of(r)
	f.flow.add(r, counts)
	f.oracle.add(i, r, counts)
	f.stood.add(f.o, r, lag, counts)
	f.parts.add(r, lag, counts)
	f.course.add(r)
	if !counts {
		return
	}
	f.m.n++
	f.m.count(r, int64(f.o.plan.Deadline))
	if r.Outcome != records.Unsettled {
		f.slow.add(i, r, lag)
	}
	f.late += float64(lag)
	_ = f.lags.RecordValue(lag)
	if drifts(r) {
		f.trend.add(float64(f.drifting(r)))
	}
	if r.Outcome != records.Completed {
		f.done.add(0)
		return
	}
	f.done.add(1)
	f.tail.add(r.Response())
	f.waits.add(float64(r.Wait()) / second)
	for i, ns := range [...]int64{r.Response(), r.Wait(), r.Busy} {
		d := &f.times[i]
		_ = d.h.RecordValue(max(ns, 0)) // beyond its end is beyond ten years
		d.sum += float64(ns)
		d.longest = max(d.longest, ns)
	}
}

// result computes what the soak reports, as observation.result does from records. What takes all
// records at hand is left out: classes, what short tasks find, the interval of the p99, and the
// tests of the plan's gaps and of single values of theory.
func (f *fold) result() (*Result, error) {
	r, err := f.part()
	if err != nil || f.second == nil {
		return r, err
	}
	return f.second.join(r, f.flow.lastEnd)
}

// part is the result of what was added.
func (f *fold) part() (*Result, error) {
	o, s := f.o, f.o.plan
	r := &Result{Name: o.name, Seed: s.Seed, Tasks: f.m.n}
	if r.Tasks == 0 && (f.cut || f.second != nil) { // in the warm-up, of which there is the course
		if f.cut {
			f.doubtCut(r)
		}
		r.add("verdict", float64(r.Verdict))
		r.Timeline = f.course.intervals()
		return r, nil
	}
	if r.Tasks == 0 {
		return nil, errNoTasks
	}
	until := f.due
	if !f.cut {
		until = max(until, int64(s.Duration))
	}
	m := f.m.ended(s, until, f.first > 0)
	flow := f.flow.ended(f.begin)
	m.report(r)
	if err := f.reportTimes(r); err != nil {
		return nil, err
	}
	o.reportShares(r, m, flow)
	n := float64(m.n)
	held := held{share: f.stood.count / n, mean: f.stood.total / n, ever: f.stood.ever}
	r.add("held/op", held.share)
	f.parts.reportMeans(r)
	replay := f.oracle.ended()
	r.Broken = o.brokenLaws(flow, replay, f.parts.impossible)
	r.add("broken-laws", float64(len(r.Broken)))
	if replay.done {
		r.add("oracle-mean-wait-sec", replay.meanWait/second)
		r.add("oracle-max-diff-sec", float64(replay.maxDiff)/second)
	}
	if o.pools == nil {
		o.reportTheory(r, m, held)
	}
	if !f.cut {
		skipped := 0
		if f.second != nil {
			skipped = f.second.skipped
		}
		o.reportCosts(r, f.n-skipped)
	}
	f.judge(r, m, flow, held)
	r.Timeline, r.Slowest = f.course.intervals(), f.slow.ended()
	return r, nil
}

// soFar is what the soak would report if its plan ended with the last record that was added; peak
// is that of the run so far. It changes nothing of the fold.
func (f *fold) soFar(peak int64) (*Result, error) {
	o, now := f.begun, *f
	o.peak, o.service = peak, f.flow.busy
	now.isOf(&o, true)
	now.flow.ends = slices.Clone(f.flow.ends)
	now.course.line = slices.Clone(f.course.line)
	return now.result()
}

// doubtCut says how far the soak is.
func (f *fold) doubtCut(r *Result) {
	r.Doubt(Suspect, rundir.CheckUnfinished, "the run is not over, or was cut off: this is of its "+
		"first %d tasks, which were due until %s; --resume goes on with it", f.n,
		spell(float64(f.due)))
}

// reportTimes is that of observation: means and maxima are exact, quantiles those of the
// histograms.
func (f *fold) reportTimes(r *Result) error {
	for i, of := range []string{"response", "wait", "service"} {
		d := f.times[i]
		n := int(d.h.TotalCount())
		if n == 0 || (of == "wait" && f.o.splits()) {
			continue
		}
		r.add("mean-"+of+"-sec", d.sum/float64(n)/second)
		for _, q := range quantiles {
			if samples.Resolvable(q.p, n) {
				v := valueAtRank(d.h, samples.Rank(n, q.p))
				r.add(q.name+"-"+of+"-sec", float64(min(v, d.longest))/second)
			}
		}
		r.add("max-"+of+"-sec", float64(d.longest)/second)
		text, err := d.h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			return fmt.Errorf("distribution of %s: %w", of, err)
		}
		r.Readings = append(r.Readings, Reading{of, string(text), d.h.ValueAtQuantile(100)})
	}
	r.add("quantile-error", foldError)
	if n := int(f.lags.TotalCount()); samples.Resolvable(0.99, n) {
		r.add("p99-lag-sec", float64(valueAtRank(f.lags, samples.Rank(n, 0.99)))/second)
	}
	return nil
}

// judge makes those of the checks that need no records.
func (f *fold) judge(r *Result, m measured, flow flow, h held) {
	o := f.o
	o.judgeAny(r)
	if !o.plan.Virtual {
		o.judgeLag(r, f.late/float64(m.n), m)
	}
	if f.cut {
		f.doubtCut(r)
	}
	if !o.share {
		o.checkPASTA(r, flow)
		o.checkHeld(r, h)
		if means, ok := f.trend.means(); ok && o.stationary() {
			o.judgeDrift(r, means)
		}
		if o.stationary() {
			f.judgeSoakDrift(r)
		}
	}
	if mean, ok := r.Metric("mean-wait-sec"); ok && mean > 0 && o.stationary() {
		means, ok := f.waits.means()
		if ok && float64(m.n) >= o.memory(r, 0, m).takesMeanWait() {
			low, high, _ := meanInterval(means[:])
			r.add("mean-wait-low-sec", max(low, 0))
			r.add("mean-wait-high-sec", high)
		}
	}
	r.add("verdict", float64(r.Verdict))
}
