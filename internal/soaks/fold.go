// Package soaks computes the result of a run of any length from sums and histograms, in constant
// memory. A Belt passes the records to a Fold as soon as they are settled. A Continuation resumes
// an interrupted run.
package soaks

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/internal/validity"
)

// A Fold aggregates the records of a soak, which must be added in the order of their due times. It
// needs a few megabytes plus memory for the tasks in the system.
type Fold struct {
	o      *observe.Run
	begun  observe.Run // copy of o at the begin of the run
	cut    bool
	second *Continuation

	first int   // index of the first measured task
	warm  int64 // in a run of a given duration: due time of the first measured task, in ns
	n     int
	begin int64
	due   int64

	m       observe.Totals
	flow    observe.FlowCounter
	oracle  validity.Oracle
	lag     record.Lagging
	stood   observe.BlockedSum
	parts   observe.PartSums
	slow    observe.Slowest
	labels  observe.Labels
	grouped [observe.Others]*hdrhistogram.Histogram

	times    [3]distribution // response, wait, service
	lags     *hdrhistogram.Histogram
	late     float64
	latest   int64
	course   observe.Timeline
	spread   observe.Spread
	trend    observe.BatchSums
	drifting func(*record.Record) int64
	waits    observe.BatchSums
	tail     tails
	done     observe.BatchSums // 1 for each completed task, otherwise 0
}

type distribution struct {
	h       *hdrhistogram.Histogram
	sum     float64
	longest int64
}

// The histograms have three significant digits, so quantiles are within 0.1 %.
const (
	foldDigits = 3
	foldError  = 0.001
)

const longestTime = int64(4 * 87_600 * time.Hour)

func NewFold(o *observe.Run, span time.Duration, second *Continuation) *Fold {
	s := o.Plan
	f := &Fold{o: o, begun: *o, first: math.MaxInt,
		course: observe.Timeline{Length: max(int64(span)/observe.Intervals, 1)},
		flow:   observe.FlowCounter{Run: o, Bound: o.Bound()}, oracle: validity.NewOracle(o),
		spread: observe.NewSpread(int64(span)), stood: observe.BlockedSum{Per: 1},
		lags: hdrhistogram.New(1, longestTime, foldDigits)}
	_, f.drifting = validity.Drifting(o)
	f.labels = o.NewLabels()
	f.labels.Each, f.labels.Most = f.addGrouped, maxTenants
	if s.Tasks > 0 {
		f.first = int(s.Warmup * float64(s.Tasks))
	} else {
		f.warm = int64(s.Warmup * float64(s.Duration))
	}
	if f.begin = -1; second != nil {
		f.second, f.course, f.n = second, second.course(), second.Skipped
		f.spread.Continue(second.before.Windows)
		f.first, f.due = max(f.first, f.n), second.From
		f.flow.From, f.flow.Now = second.From, second.From
	}
	for i := range f.times {
		f.times[i].h = hdrhistogram.New(1, longestTime, foldDigits)
	}
	return f
}

// cut means that records after the last added one are missing.
func (f *Fold) IsOf(o *observe.Run, cut bool) { f.o, f.flow.Run, f.cut = o, o, cut }

func (f *Fold) add(r *record.Record) {
	i := f.n
	f.n++
	if f.begin < 0 {
		if f.begin = r.Due; f.second == nil {
			f.course.Begin = r.Due
		}
	}
	if f.first == math.MaxInt && r.Due >= f.warm {
		f.first = i
	}
	counts := i >= f.first
	if i == f.first {
		f.m.From = f.due
		f.m.CountLeft(f.flow.Ends...)
		f.labels.From = f.due
	}
	f.due = r.Due
	lag := f.lag.Next(r)
	f.flow.Add(r, counts)
	f.oracle.Add(i, r, counts)
	f.stood.Add(f.o, r, lag, counts)
	f.parts.Add(r, lag, counts)
	f.course.Add(r)
	f.spread.Add(r)
	f.labels.Add(uint64(i), r, counts)
	if !counts {
		return
	}
	f.m.N++
	f.m.Count(r, int64(f.o.Plan.Deadline))
	if r.Outcome != record.Unsettled {
		f.slow.Add(i, r, lag)
	}
	f.late += float64(lag)
	f.latest = max(f.latest, lag)
	_ = f.lags.RecordValue(lag)
	if validity.Drifts(r) {
		f.trend.Add(float64(f.drifting(r)))
	}
	if r.Outcome != record.Completed {
		f.done.Add(0)
		return
	}
	f.done.Add(1)
	f.tail.add(r.Response())
	f.waits.Add(float64(r.Wait()) / observe.Second)
	for i, ns := range [...]int64{r.Response(), r.Wait(), r.Busy} {
		d := &f.times[i]
		_ = d.h.RecordValue(max(ns, 0)) // longestTime is never exceeded
		d.sum += float64(ns)
		d.longest = max(d.longest, ns)
	}
}

// The sums of 100,000 tenants need 10 MB.
const maxTenants = 100_000

func (f *Fold) addGrouped(g observe.Group, response int64) {
	if f.grouped[g] == nil {
		f.grouped[g] = hdrhistogram.New(1, longestTime, foldDigits)
	}
	_ = f.grouped[g].RecordValue(max(response, 0))
}

// For Others, groupP99 subtracts the noisy tenant's histogram from the one of all tasks. ok is
// false if the noisy tenant has no histogram.
func (f *Fold) groupP99(g observe.Group, noisy int32) (ns int64, ok bool) {
	h := f.grouped[min(g, observe.Others-1)]
	if g == observe.Others {
		of, ok := observe.GroupOfTenant(noisy)
		if !ok || f.grouped[of] == nil {
			return 0, false
		}
		rest := f.times[0].h.Export()
		for i, n := range f.grouped[of].Export().Counts {
			rest.Counts[i] -= n
		}
		h = hdrhistogram.Import(rest)
	}
	p99 := result.ValueAtRank(h, statistics.Rank(int(h.TotalCount()), 0.99))
	return min(p99, f.times[0].longest), true
}

// Result omits everything that requires all records: classes, slots found by short tasks, the
// interval of the p99, and tests of the plan's gaps and of values of single tasks.
func (f *Fold) Result() (*result.Result, error) {
	r, err := f.part()
	if err != nil || f.second == nil {
		return r, err
	}
	if !f.labels.AllDated(f.m.N) && f.second.before.Tasks > 0 {
		r.Metrics = slices.DeleteFunc(r.Metrics, func(m result.Metric) bool {
			return m.Unit == metric.Missed
		})
	}
	return f.second.join(r, f.flow.LastEnd)
}

func (f *Fold) part() (*result.Result, error) {
	o, s := f.o, f.o.Plan
	windows, err := f.spread.Windows()
	if err != nil {
		return nil, err
	}
	r := &result.Result{Name: o.Name, Seed: s.Seed, Tasks: f.m.N, Windows: windows}
	if r.Tasks == 0 && (f.cut || f.second != nil) {
		if f.cut {
			f.doubtCut(r)
		}
		r.Add(metric.Verdict, float64(r.Verdict))
		r.Timeline = f.course.Intervals()
		return r, nil
	}
	if r.Tasks == 0 {
		return nil, observe.ErrNoTasks
	}
	until := f.due
	if !f.cut {
		until = max(until, int64(s.Duration))
	}
	m := f.m.Ended(s, until)
	flow := f.flow.Ended(f.begin)
	m.Report(r)
	if err := f.reportTimes(r); err != nil {
		return nil, err
	}
	f.labels.Report(r, until, f.groupP99)
	o.ReportShares(r, m, flow)
	if err := o.ReportCalls(r, m.N); err != nil {
		return nil, err
	}
	n := float64(m.N)
	held := observe.Blocked{Share: f.stood.Count / n, Mean: f.stood.Total / n, Ever: f.stood.Ever}
	r.Add(metric.Blocked, held.Share)
	f.parts.ReportMeans(r)
	validity.ReportLaws(r, o, flow, f.oracle.Ended(), f.parts.Impossible)
	if o.Pools == nil {
		validity.ReportExact(o, r, m, held)
	}
	if !f.cut {
		skipped := 0
		if f.second != nil {
			skipped = f.second.Skipped
		}
		o.ReportCosts(r, f.n-skipped)
	}
	f.judge(r, m, flow, held)
	r.Timeline, r.Slowest = f.course.Intervals(), f.slow.Ended()
	return r, nil
}

// soFar returns the result as if the plan ended with the last added record. The fold does not
// change.
func (f *Fold) soFar(peak int64) (*result.Result, error) {
	o, now := f.begun, *f
	o.Peak, o.Service = peak, f.flow.Busy
	now.IsOf(&o, true)
	now.flow.Ends = slices.Clone(f.flow.Ends)
	now.course.Line = slices.Clone(f.course.Line)
	return now.Result()
}

func (f *Fold) doubtCut(r *result.Result) {
	resume := "; --resume continues it"
	if f.o.Follows { // lost tasks have lost followers, so the run cannot be resumed
		resume = ""
	}
	r.Doubt(result.Suspect, rundir.CheckUnfinished,
		"the run is not over: the numbers cover its first %d tasks, due by %s%s", f.n,
		text.Seconds(float64(f.due)/1e9), resume)
}

func (f *Fold) reportTimes(r *result.Result) error {
	for i, of := range []string{metric.Response, metric.Wait, metric.Service} {
		d := f.times[i]
		if d.h.TotalCount() == 0 || (of == metric.Wait && f.o.Splits()) {
			continue
		}
		if err := observe.ReportHistogram(r, of, d.h, d.sum, d.longest,
			func(string) bool { return true }); err != nil {
			return err
		}
		if f.o.Recorded && of != metric.Wait {
			observe.MergeDue(f.m.N, of, d.h, d.longest, r.Add)
		}
	}
	r.Add(metric.QuantileError, foldError)
	if n := int(f.lags.TotalCount()); statistics.Resolvable(0.99, n) {
		r.Add(metric.P99Lag, float64(result.ValueAtRank(f.lags, statistics.Rank(n,
			0.99)))/observe.Second)
	}
	if f.o.Recorded {
		r.Add(decide.MaxLag, float64(f.latest)/observe.Second)
	}
	return nil
}

func (f *Fold) reportLength(r *result.Result, m observe.Totals) {
	k := validity.MemoryOf(f.o, r, 0, m)
	if mean, ok := r.Metric(metric.MeanWait); ok && mean > 0 {
		means, ok := f.waits.Means()
		if ok && float64(m.N) >= k.TasksForMeanWait() {
			low, high, _ := validity.MeanInterval(means[:])
			r.Add(metric.MeanWaitLow, max(low, 0))
			r.Add(metric.MeanWaitHigh, high)
		}
	}
	if !f.o.Share && !f.o.Recorded && !math.IsInf(k.Planned, 1) {
		k.MarkUncertain(f.o, r, 0, validity.Scatter{})
	}
}

func (f *Fold) judge(r *result.Result, m observe.Totals, flow observe.Flow, h observe.Blocked) {
	o := f.o
	validity.JudgeAny(o, r)
	if !o.Plan.Virtual {
		validity.JudgeLag(o, r, f.late/float64(m.N), m)
	}
	if f.cut {
		f.doubtCut(r)
	}
	if !o.Share {
		validity.CheckPASTA(o, r, flow)
		o.CheckBlocked(r, h)
		if means, ok := f.trend.Means(); ok && o.Stationary() {
			validity.JudgeDrift(o, r, means)
		}
		if o.Stationary() {
			f.judgeSoakDrift(r)
		}
	}
	if o.Stationary() {
		f.reportLength(r, m)
	}
	r.Add(metric.Verdict, float64(r.Verdict))
}
