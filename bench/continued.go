package bench

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/internal/statistics/samples"
)

// A continuation is the second part of a soak that was cut off. What was in the system is lost, so
// it goes on with the plan at the next window of the course, with an empty system; what was due
// before that and is not in the first part is missing, and said to be.
type continuation struct {
	before *Result
	window int   // the last of which the first part has arrivals
	begin  int64 // of that window
	from   int64 // its end

	skipped int   // tasks of the plan that were due before
	missing int   // those of them that the first part does not have
	until   int64 // when the last was due that it has
}

// newContinuation is nil where the first part has no course.
func newContinuation(before *Result) *continuation {
	c := &continuation{before: before, window: -1}
	if before == nil {
		return nil
	}
	for i, v := range before.Timeline {
		if v.Arrived > 0 {
			c.window, c.begin, c.from = i, int64(v.Start), int64(v.Start+v.Length)
		}
	}
	if c.window < 0 {
		return nil
	}
	return c
}

// skip passes over what was due before the second part, and returns what comes then.
func (c *continuation) skip(
	next arrivals.Next, tasks int, duration time.Duration, step func(),
) arrivals.Next {
	has := c.before.Timeline[c.window].Arrived
	within := 0
	for {
		due := next()
		if (tasks > 0 && c.skipped == tasks) || int64(due) >= c.from ||
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
		if c.skipped++; c.skipped%(1<<20) == 0 {
			step() // a day of tasks takes minutes
		}
	}
}

// course is that of the first part, to be gone on with.
func (c *continuation) course() course {
	first := c.before.Timeline[0]
	to := course{begin: int64(first.Start), length: int64(first.Length)}
	var inFlight, queued int
	for _, v := range c.before.Timeline {
		left := v
		left.InFlight -= inFlight + v.Started
		left.Queued -= queued + v.Arrived - v.Started
		inFlight, queued = v.InFlight, v.Queued
		to.line = append(to.line, left)
	}
	return to
}

// gap says what is missing, behind what is in that text of the first part, "" where nothing was.
func (c *continuation) gap(before string) string {
	const begin = "the run was cut off and went on with an empty system: missing are "
	if before == "" {
		before = begin
	} else {
		before += ", "
	}
	return before + rundir.Gap{Tasks: c.missing, From: time.Duration(c.until),
		To: time.Duration(c.from)}.String()
}

// join makes one result of the two parts; second has the timeline of both, and lastEnd is the last
// end of its tasks. A metric that one of them lacks is left out.
func (c *continuation) join(second *Result, lastEnd int64) (*Result, error) {
	first := c.before
	r := &Result{Name: second.Name, Seed: second.Seed, Tasks: first.Tasks + second.Tasks,
		Timeline: second.Timeline, Broken: append(first.Broken[:len(first.Broken):len(
			first.Broken)], second.Broken...)}
	gaps := "" // in one reason, since readers show one of each check
	for _, reason := range first.Reasons {
		switch reason.Check {
		case rundir.CheckGap:
			gaps = reason.Text
		case rundir.CheckUnfinished:
		default:
			r.Doubt(reason.Verdict, reason.Check, "%s", reason.Text)
		}
	}
	known := len(r.Reasons)
	for _, reason := range second.Reasons {
		i := slices.IndexFunc(r.Reasons[:known], func(of Reason) bool {
			return of.Check == reason.Check && of.Check != rundir.CheckLaw
		})
		if i < 0 {
			r.Doubt(reason.Verdict, reason.Check, "%s", reason.Text)
			continue
		}
		both := &r.Reasons[i]
		both.Text += "; and after the gap: " + reason.Text
		both.Verdict = max(both.Verdict, reason.Verdict)
		r.Verdict = max(r.Verdict, both.Verdict)
	}
	// the last, since a reader who sees only one wants to hear of the others
	r.Doubt(Suspect, rundir.CheckGap, "%s", c.gap(gaps))
	parts := []*Result{first, second}
	r.Slowest = joinSlowest(parts, false)
	sums, err := mergeReadings(r, parts)
	if err != nil {
		return nil, err
	}
	measured := parts
	if first.Tasks == 0 { // it was cut off in the warm-up
		measured = parts[1:]
	} else if second.Tasks == 0 {
		measured = parts[:1]
	}
	for _, unit := range unitsOf(measured) {
		if v, ok := joinedMetric(unit, measured, sums); ok {
			r.add(unit, v)
		}
	}
	begin := int64(first.Timeline[0].Start)
	r.add("makespan-sec", float64(max(lastEnd, c.until)-begin)/float64(time.Second))
	r.add("broken-laws", float64(len(r.Broken)))
	r.add("verdict", float64(r.Verdict))
	return r, nil
}

// joinedMetric is the value of a metric of parts that came one after another.
func joinedMetric(
	unit string, parts []*Result, sums map[string]*hdrhistogram.Histogram,
) (v float64, ok bool) {
	value := func(p *Result, unit string) float64 {
		v, _ := p.Metric(unit)
		return v
	}
	tasks := func(p *Result) float64 { return float64(p.Tasks) }
	elapsed := func(p *Result) float64 { return value(p, "ns/op") * tasks(p) }
	everyPart := func() bool {
		return !slices.ContainsFunc(parts, func(p *Result) bool {
			_, has := p.Metric(unit)
			return !has
		})
	}
	mean := func(weight func(*Result) float64) (float64, bool) {
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
	case "broken-laws", "verdict", "makespan-sec", "mean-wait-low-sec", "mean-wait-high-sec":
		return 0, false
	case "ops/s", "goodput-ops/s":
		return mean(elapsed)
	case "offered-ops/s":
		return mean(func(p *Result) float64 { return tasks(p) / value(p, unit) })
	case "attempts/op", "waited/op": // of those that the strategy took
		return mean(func(p *Result) float64 { return tasks(p) * (1 - value(p, "shed/op")) })
	case "utilisation":
		return mean(func(p *Result) float64 { return value(p, "makespan-sec") })
	}
	if of, q, is := readingOf(unit, sums); is {
		return joinedTime(parts, unit, of, q, sums[of])
	}
	if isPartMean(unit) {
		return mean(func(p *Result) float64 { return timesIn(p, "response") })
	}
	if !everyPart() { // one that was cut off has not told of its machine
		return 0, false
	}
	if strings.HasPrefix(unit, "max-") || strings.HasPrefix(unit, "peak-") ||
		strings.HasPrefix(unit, "p99-") || unit == "oracle-max-diff-sec" {
		for _, p := range parts {
			v = max(v, value(p, unit))
		}
		return v, true
	}
	return mean(tasks)
}

// readingOf splits the name of a metric of one of the distributions.
func readingOf(unit string, sums map[string]*hdrhistogram.Histogram) (of, what string, is bool) {
	for of := range sums {
		if what, is = strings.CutSuffix(unit, "-"+of+"-sec"); is &&
			!strings.Contains(what, "-") {
			return of, what, true
		}
	}
	return "", "", false
}

// timesIn is how many tasks a distribution is of; 0 where there is none that can be read, which
// mergeReadings has said before.
func timesIn(p *Result, of string) float64 {
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

// joinedTime is that of a distribution: quantiles are those of the sum.
func joinedTime(
	parts []*Result, unit, of, what string, sum *hdrhistogram.Histogram,
) (v float64, ok bool) {
	total, longest := 0.0, 0.0
	for _, p := range parts {
		n := timesIn(p, of)
		m, _ := p.Metric("mean-" + of + "-sec")
		x, _ := p.Metric("max-" + of + "-sec")
		total, longest = total+n*m, math.Max(longest, x)
	}
	n := int(sum.TotalCount())
	switch what {
	case "mean":
		return total / float64(n), n > 0
	case "max":
		return longest, true
	}
	for _, q := range quantiles {
		if what == q.name && samples.Resolvable(q.p, n) {
			v := float64(valueAtRank(sum, samples.Rank(n, q.p))) / second
			return math.Min(v, longest), true
		}
	}
	return 0, false
}
