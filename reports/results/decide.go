package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
)

// Decide judges an objective.
func (c Cell) Decide(b Bound) decide.Decision {
	if c.isLoadTest() {
		return c.decideLoad(b)
	}
	all := b
	b.Unit, _ = decide.Completed(b.Unit)
	d := c.decidePlan(b)
	d.Error, _ = c.Uncertain(b.Unit)
	if doubts := c.Doubts(); d.Verdict != decide.Missed &&
		(doubts == nil || doubts.Verdict != Invalid) {
		if lost, ok := decide.Lost(all, c.lookup); ok {
			return lost
		}
	}
	if d.Verdict == decide.Met && strings.HasSuffix(b.Unit, "-sec") && c.Lost() > decide.MaxLost {
		d.Reason += "; completed tasks only, " + c.LossWords()
	}
	return d
}

// lookup returns the median of a metric.
func (c Cell) lookup(unit string) (float64, bool) {
	e, ok := c.Estimate(unit)
	return e.Mid, ok
}

func (c Cell) decidePlan(b Bound) decide.Decision {
	unknown := decide.Decision{Value: c.Value(b.Unit), Low: math.NaN(), High: math.NaN()}
	if d := c.Doubts(); d != nil && d.Verdict == Invalid {
		unknown.Reason = "INVALID: " + d.Why[0].Text
		return unknown
	}
	if c.isObserved(b.Unit) {
		return c.decideObserved(b, unknown)
	}
	if exact, known := c.exactValue(b.Unit); known {
		d := decide.Decision{Value: unknown.Value, Low: exact, High: exact,
			Verdict: decide.Interval(b, exact, exact)}
		d.Reason = "the exact value is " + text.Metric(b.Unit, exact)
		return d
	}
	if !c.has(b.Unit) {
		unknown.Reason = c.whyMissing(b.Unit)
		return unknown
	}
	if b.Op == "<=" && b.Value == 0 && c.isZero(b.Unit) {
		return c.withdrawOverloaded(b, decide.Decision{Verdict: decide.Met,
			Reason: "none of " + text.Rounded(float64(c.tasks())) + " tasks"})
	}
	in, ok := c.interval(b.Unit)
	if !ok {
		return c.withdrawOverloaded(b, c.decideFarBound(b, unknown))
	}
	d := decide.Decision{Value: unknown.Value, Low: in.Lo, High: in.Hi,
		Verdict: decide.Interval(b, in.Lo, in.Hi)}
	d.Reason = "95 % CI " + text.Span(text.Metric(b.Unit, in.Lo), "–",
		text.Metric(b.Unit, in.Hi)) + c.source()
	if d.Verdict == decide.Undecided {
		d.Next = c.longerRun(b, in)
		return d
	}
	return c.withdrawOverloaded(b, d)
}

// A load test's objective concerns the requests, not the strategy.
func (c Cell) isLoadTest() bool { return c[0].Base() == "Attack" || c[0].Base() == "Gateway" }

// decideLoad judges each repetition, or the median if they differ.
func (c Cell) decideLoad(b Bound) decide.Decision {
	var values []float64
	var last decide.Decision
	for _, r := range c {
		d := decide.Load(b, r.Value, r.Iters)
		if d.Verdict == decide.Undecided {
			return d
		}
		values = append(values, d.Value)
		last = d
	}
	if len(values) == 1 {
		return last
	}
	median := statistics.Median(values)
	verdict, meet := decide.Interval(b, median, median), 0
	for _, v := range values {
		if b.Meets(v) {
			meet++
		}
	}
	return decide.Decision{Verdict: verdict, Value: median, Low: slices.Min(values),
		High:   slices.Max(values),
		Reason: fmt.Sprintf("the median of %d runs, of which %d meet it", len(c), meet)}
}

// If the bound is farther away than twice the expected 95 % error, decideFarBound judges without an
// interval. A short run's values are too low, so it can only miss.
func (c Cell) decideFarBound(b Bound, d decide.Decision) decide.Decision {
	d.Reason, d.Next = c.noInterval(d.Value, b)
	if _, stationary := c.Estimate(metric.NeededTasks); !stationary ||
		text.KindOf(b.Unit) != text.Times {
		return d
	}
	share, marked := c.Uncertain(b.Unit)
	if !marked {
		share = certain
	}
	low, high := d.Value/(1+2*share), d.Value*(1+2*share)
	short := c.Doubts().finds(rundir.CheckLength)
	switch v := decide.Interval(b, low, high); {
	case v == decide.Undecided, v == decide.Met && short:
		return d
	default:
		d.Verdict, d.Next, d.Low, d.High = v, "", low, high
	}
	d.Reason = fmt.Sprintf("the value is far from the bound%s", c.source())
	return d
}

const certain = 0.25

// withdrawOverloaded withdraws a verdict that depends on the length of the run: a growing queue
// eventually misses any upper bound.
func (c Cell) withdrawOverloaded(b Bound, d decide.Decision) decide.Decision {
	doubts := c.Doubts()
	if doubts == nil || c.Overloaded() && !coversAllTasks(b.Unit) {
		return d
	}
	grows := doubts.finds(growth...)
	switch upper := strings.HasPrefix(b.Op, "<"); {
	case grows && upper && !b.Meets(d.Value) && coversAllTasks(b.Unit):
		d.Verdict, d.Next = decide.Missed, ""
		d.Reason = "the queue grows during the whole run"
	case d.Verdict == decide.Met:
		d.Verdict, d.Next = decide.Undecided, ""
		d.Reason += "; SUSPECT: " + doubts.Why[0].Text
	}
	return d
}

// Such a metric grows with the length of an overloaded run.
func coversAllTasks(unit string) bool {
	statistic, of, _ := strings.Cut(unit, "-")
	_, isPercentile := percentile(unit)
	return (statistic == metric.Mean || isPercentile && strings.HasPrefix(statistic, "p")) &&
		(of == metric.Response+"-sec" || of == metric.Wait+"-sec")
}

// An observed extreme or count is not an estimate.
func (c Cell) isObserved(unit string) bool {
	return metric.IsMax(unit) || strings.Contains(unit, "-"+metric.Max+"-") ||
		unit == metric.PeakInFlight || unit == metric.Bans || unit == metric.RefusedCalls
}

func (c Cell) decideObserved(b Bound, d decide.Decision) decide.Decision {
	values := c.Values(b.Unit)
	if len(values) < len(c) || len(values) == 0 {
		d.Reason = "the run has no such value"
		return d
	}
	d.Low, d.High = slices.Min(values), slices.Max(values)
	d.Verdict = decide.Met
	for _, v := range values {
		if !b.Meets(v) {
			d.Verdict = decide.Missed
		}
	}
	d.Reason = text.Metric(b.Unit, d.High) + " at most in " + text.Count(len(c), "run")
	return d
}

// Under the real clock no value is exact, because of the strategy's overhead.
func (c Cell) exactValue(unit string) (v float64, known bool) {
	if c[0].Key("clock") != "virtual" {
		return 0, false
	}
	if d := c.Doubts(); d.finds(rundir.CheckTheory) {
		return 0, false
	}
	for _, r := range c {
		if v, known = r.Value(metric.Theory(unit)); !known {
			return 0, false
		}
	}
	return v, true
}

func (c Cell) has(unit string) bool {
	for _, r := range c {
		if v, ok := r.Value(unit); !ok || math.IsNaN(v) {
			return false
		}
	}
	return true
}

func (c Cell) interval(unit string) (Estimate, bool) {
	if strings.HasSuffix(unit, "-sec") {
		return c.Interval(unit)
	}
	values := c.Values(unit)
	if len(values) < EnoughSeeds {
		return Estimate{}, false
	}
	mean := stat.Mean(values, nil)
	half := statistics.Student(len(values), 0.05) * stat.StdDev(values, nil) /
		math.Sqrt(float64(len(values)))
	if half == 0 && text.KindOf(unit) == text.Shares && mean < 1 {
		half = noneSeen / float64(c.tasks()) // observed in none of these tasks
	}
	return Estimate{mean, max(mean-half, 0), mean + half}.withMid(c.Value(unit)), true
}

// SeedsDecide reports whether further seeds can narrow the interval of a metric. They cannot if a
// run is too short.
func (c Cell) SeedsDecide(unit string) bool {
	return len(c) > 0 && c.has(unit) && !c.isObserved(unit) &&
		(c.Doubts() == nil || c.Overloaded() && !coversAllTasks(unit))
}

// No number of tasks proves a share of 0, so a bound of 0 is compared with the observation.
func (c Cell) isZero(unit string) bool {
	return text.KindOf(unit) == text.Shares &&
		!slices.ContainsFunc(c.Values(unit), func(v float64) bool { return v != 0 })
}

// noneSeen divided by the number of tasks is the upper end of the 95 % interval of a share that was
// never observed (the rule of three).
const noneSeen = 3

func (c Cell) tasks() (n int) {
	for _, r := range c {
		n += r.Iters
	}
	return n
}

func (c Cell) source() string {
	if len(c) == 1 {
		return ", 1 run of " + text.Rounded(float64(c[0].Iters)) + " tasks"
	}
	return fmt.Sprintf(", %d runs of %s tasks", len(c), text.Rounded(float64(c[0].Iters)))
}

func (c Cell) whyMissing(unit string) string {
	p, isPercentile := percentile(unit)
	if !isPercentile {
		return "the run has no such value"
	}
	return fmt.Sprintf("too few tasks: this percentile needs %d that completed",
		statistics.MinTasks(p))
}

func percentile(unit string) (p float64, ok bool) {
	for part := range strings.SplitSeq(unit, "-") {
		if number, is := strings.CutPrefix(part, "p"); is {
			if v, err := strconv.ParseFloat(number, 64); err == nil && v > 0 && v < 100 {
				return v / 100, true
			}
		}
	}
	return 0, false
}

func (c Cell) noInterval(value float64, b Bound) (reason, next string) {
	runs := text.Count(len(c), "run") + " of " + text.Rounded(float64(c[0].Iters)) + " tasks"
	reason = "no confidence interval from " + runs
	needed, known := c.Estimate(metric.NeededTasks)
	switch d := c.Doubts(); {
	case known && needed.Mid > 0 && (d.finds(rundir.CheckLength) ||
		float64(c.tasks()) < needed.Mid):
		return reason, c.longerRun(b, Estimate{Mid: value, Lo: value, Hi: value})
	case len(c) < EnoughSeeds:
		return reason, fmt.Sprintf("--count %d", EnoughSeeds)
	}
	return reason, ""
}

const maxNext = 100e6

// longerRun returns "" if the run would be too long.
func (c Cell) longerRun(b Bound, in Estimate) string {
	gap := math.Abs(in.Mid-b.Value) / in.Mid
	needed, known := c.Estimate(metric.NeededTasks)
	if !known || needed.Mid == 0 || b.Unit != metric.P99Response {
		return fmt.Sprintf("--count %d", max(4*len(c), EnoughSeeds))
	}
	const safety = 0.7 // half-width as a share of the distance
	n := needed.Mid * math.Pow(0.05/min(safety*gap, 0.1), 2)
	if !(n <= maxNext) {
		return ""
	}
	return "--n " + strconv.FormatFloat(roundUp(max(n, float64(2*c[0].Iters))), 'f', 0, 64)
}

func roundUp(n float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(n))-1)
	return math.Ceil(n/step) * step
}
