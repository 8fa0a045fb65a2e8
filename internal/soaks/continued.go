package soaks

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Continuation is the second part of an interrupted soak. The tasks in the system were lost, so
// it continues at the next interval of the timeline with an empty system. Tasks that were due
// before and are not in the first part are missing.
type Continuation struct {
	before *result.Result
	window int // last interval with arrivals in the first part
	begin  int64
	From   int64 // end of that interval, where the second part begins

	Skipped int   // number of the plan's tasks that were due before From
	missing int   // number of these tasks that the first part lacks
	until   int64 // due time of the first part's last task
}

// NewContinuation returns nil if the first part has no timeline.
func NewContinuation(before *result.Result) *Continuation {
	c := &Continuation{before: before, window: -1}
	if before == nil {
		return nil
	}
	for i, v := range before.Timeline {
		if v.Arrived > 0 {
			c.window, c.begin, c.From = i, int64(v.Start), int64(v.Start+v.Length)
		}
	}
	if c.window < 0 {
		return nil
	}
	return c
}

func (c *Continuation) Skip(
	next arrivals.Next, tasks int, duration time.Duration, step func(),
) arrivals.Next {
	has := c.before.Timeline[c.window].Arrived
	within := 0
	for {
		due := next()
		if (tasks > 0 && c.Skipped == tasks) || int64(due) >= c.From ||
			(tasks == 0 && due > duration) {
			c.missing = max(within-has, 0)
			return func() (at time.Duration) {
				at, due = due, next()
				return at
			}
		}
		if int64(due) >= c.begin {
			if within++; within == has {
				c.until = int64(due)
			}
		}
		if c.Skipped++; c.Skipped%(1<<20) == 0 {
			step()
		}
	}
}

func (c *Continuation) course() observe.Timeline {
	first := c.before.Timeline[0]
	to := observe.Timeline{Begin: int64(first.Start), Length: int64(first.Length)}
	var inFlight, queued int
	for _, v := range c.before.Timeline {
		left := v
		left.InFlight -= inFlight + v.Started
		left.Queued -= queued + v.Arrived - v.Started
		inFlight, queued = v.InFlight, v.Queued
		to.Line = append(to.Line, left)
	}
	return to
}

func (c *Continuation) gap(before string) string {
	const begin = "the run was interrupted and continued with an empty system; missing: "
	if before == "" {
		before = begin
	} else {
		before += ", "
	}
	return before + rundir.Gap{Tasks: c.missing, From: time.Duration(c.until),
		To: time.Duration(c.From)}.String()
}

func ofPart(side string, reason result.Reason) string {
	const gap = " the gap: "
	if reason.Check == rundir.CheckLaw || strings.Contains(reason.Text, gap) {
		return reason.Text
	}
	return side + gap + reason.Text
}

// second contains the timeline of both parts. lastEnd is in ns. Metrics that only one part has are
// omitted.
func (c *Continuation) join(second *result.Result, lastEnd int64) (*result.Result, error) {
	first := c.before
	r := &result.Result{Name: second.Name, Seed: second.Seed, Tasks: first.Tasks + second.Tasks,
		Timeline: second.Timeline, Windows: second.Windows,
		Broken: slices.Concat(first.Broken, second.Broken)}
	gaps := "" // one reason for all gaps, because readers show one reason per check
	for _, reason := range first.Reasons {
		switch reason.Check {
		case rundir.CheckGap:
			gaps = reason.Text
		case rundir.CheckUnfinished:
		default:
			r.Doubt(reason.Verdict, reason.Check, "%s", ofPart("before", reason))
		}
	}
	known := len(r.Reasons)
	for _, reason := range second.Reasons {
		i := slices.IndexFunc(r.Reasons[:known], func(of result.Reason) bool {
			return of.Check == reason.Check && of.Check != rundir.CheckLaw
		})
		if i < 0 {
			r.Doubt(reason.Verdict, reason.Check, "%s", ofPart("after", reason))
			continue
		}
		both := &r.Reasons[i]
		both.Text += "; and " + ofPart("after", reason)
		both.Verdict = max(both.Verdict, reason.Verdict)
		r.Verdict = max(r.Verdict, both.Verdict)
	}
	// added last, because readers that show only one reason should show another one
	r.Doubt(result.Suspect, rundir.CheckGap, "%s", c.gap(gaps))
	parts := []*result.Result{first, second}
	r.Slowest = observe.MergeSlowest(parts, false)
	sums, err := observe.MergeReadings(r, parts)
	if err != nil {
		return nil, err
	}
	measured := parts
	if first.Tasks == 0 {
		measured = parts[1:]
	} else if second.Tasks == 0 {
		measured = parts[:1]
	}
	for _, unit := range observe.MergeUnits(measured) {
		if unit == decide.MaxLag {
			observe.EachDue(r, sums)
		}
		if v, ok := joinedMetric(unit, measured, sums); ok {
			r.Add(unit, v)
		}
	}
	begin := int64(first.Timeline[0].Start)
	r.Add(metric.Makespan, float64(max(lastEnd, c.until)-begin)/float64(time.Second))
	r.Add(metric.BrokenLaws, float64(len(r.Broken)))
	r.Add(metric.Verdict, float64(r.Verdict))
	return r, nil
}

func joinedMetric(
	unit string, parts []*result.Result, sums map[string]*hdrhistogram.Histogram,
) (v float64, ok bool) {
	value := func(p *result.Result, unit string) float64 {
		v, _ := p.Metric(unit)
		return v
	}
	tasks := func(p *result.Result) float64 { return float64(p.Tasks) }
	elapsed := func(p *result.Result) float64 { return value(p, metric.NsPerOp) * tasks(p) }
	everyPart := func() bool {
		return !slices.ContainsFunc(parts, func(p *result.Result) bool {
			_, has := p.Metric(unit)
			return !has
		})
	}
	mean := func(weight func(*result.Result) float64) (float64, bool) {
		if !everyPart() {
			return 0, false
		}
		total, weights := 0.0, 0.0
		for _, p := range parts {
			total, weights = total+weight(p)*value(p, unit), weights+weight(p)
		}
		return total / weights, weights > 0
	}
	switch unit {
	case metric.BrokenLaws, metric.Verdict, metric.Makespan, metric.MeanWaitLow,
		metric.MeanWaitHigh:
		return 0, false
	case metric.Throughput, metric.Goodput:
		return mean(elapsed)
	case metric.Offered:
		return mean(func(p *result.Result) float64 { return tasks(p) / value(p, unit) })
	case metric.Attempts, metric.Waited: // shares of the accepted tasks
		return mean(func(p *result.Result) float64 {
			return tasks(p) * (1 - value(p, metric.Shed))
		})
	case metric.Utilisation:
		return mean(func(p *result.Result) float64 { return value(p, metric.Makespan) })
	}
	if strings.HasPrefix(unit, decide.Due) {
		return 0, false
	}
	if of, q, is := readingOf(unit, sums); is {
		return joinedTime(parts, of, q, sums[of])
	}
	if len(parts) > 1 && observe.IsOfLabels(unit) {
		return 0, false // the number of tasks per label is not known
	}
	if observe.IsPartMean(unit) {
		return mean(func(p *result.Result) float64 { return timesIn(p, metric.Response) })
	}
	if !everyPart() { // an interrupted part has no metrics of its machine
		return 0, false
	}
	if metric.IsMax(unit) || strings.HasPrefix(unit, "peak-") ||
		strings.HasPrefix(unit, "p99-") || unit == metric.OracleMaxDiff {
		v = math.Inf(-1)
		for _, p := range parts {
			v = max(v, value(p, unit))
		}
		return v, true
	}
	return mean(tasks)
}

func readingOf(unit string, sums map[string]*hdrhistogram.Histogram) (of, what string, is bool) {
	for of := range sums {
		if what, is = strings.CutSuffix(unit, "-"+of+"-sec"); is &&
			!strings.Contains(what, "-") {
			return of, what, true
		}
	}
	return "", "", false
}

// timesIn returns 0 for an unreadable distribution, an error that MergeReadings has already
// reported.
func timesIn(p *result.Result, of string) float64 {
	for _, reading := range p.Readings {
		if reading.Of != of {
			continue
		}
		if h, err := hdrhistogram.Decode([]byte(reading.Histogram)); err == nil {
			return float64(h.TotalCount())
		}
	}
	return 0
}

func joinedTime(
	parts []*result.Result, of, what string, sum *hdrhistogram.Histogram,
) (v float64, ok bool) {
	total, longest := 0.0, 0.0
	for _, p := range parts {
		n := timesIn(p, of)
		m, _ := p.Metric(metric.StatisticOf(metric.Mean, of))
		x, _ := p.Metric(metric.StatisticOf(metric.Max, of))
		total, longest = total+n*m, math.Max(longest, x)
	}
	n := int(sum.TotalCount())
	switch what {
	case metric.Mean:
		return total / float64(n), n > 0
	case metric.Max:
		return longest, true
	}
	for _, q := range metric.Quantiles {
		if what == q.Name && statistics.Resolvable(q.P, n) {
			v := float64(result.ValueAtRank(sum, statistics.Rank(n, q.P))) / observe.Second
			return math.Min(v, longest), true
		}
	}
	return 0, false
}
