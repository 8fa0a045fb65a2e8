package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
)

// A Cell contains one or more repetitions of a scenario.
type Cell []*Run

// An Estimate is the median of a cell with an interval. Changes between cells come from pairs of
// runs, and may differ from the ratio of two estimates.
type Estimate struct{ Mid, Lo, Hi float64 }

// Enough is the number of repetitions that give a 95 % interval of the median. With fewer, the
// interval is the range of the values.
const Enough = 6

// Values returns the values of a metric by its tidied unit.
func (c Cell) Values(unit string) (values []float64) {
	for _, r := range c {
		if v, ok := r.Value(unit); ok {
			values = append(values, v)
		}
	}
	return values
}

// Judged reports whether any repetition has a verdict.
func (c Cell) Judged() bool {
	return slices.ContainsFunc(c, func(r *Run) bool {
		_, known := r.Verdict()
		return known
	})
}

// Estimate returns the estimate of a metric by its tidied unit.
func (c Cell) Estimate(unit string) (Estimate, bool) {
	values := c.Values(unit)
	if len(values) == 0 {
		return Estimate{}, false
	}
	e := Estimate{statistics.Median(values), slices.Min(values), slices.Max(values)}
	if strings.HasSuffix(unit, "-sec") && len(values) >= Enough && !c.isLoadTest() {
		if in, ok := c.Interval(unit); ok {
			return in, true // objectives use the same interval
		}
	}
	if len(values) >= Enough {
		sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
		summary := benchmath.AssumeNothing.Summary(sample, 0.95)
		e.Lo, e.Hi = summary.Lo, summary.Hi
	}
	return e, true
}

// Value returns the middle of the estimate, or NaN.
func (c Cell) Value(unit string) float64 {
	e, ok := c.Estimate(unit)
	if !ok {
		return math.NaN()
	}
	return e.Mid
}

// Uncertain returns the relative 95 % error of a metric if any repetition has one above 25 %, and
// the repetitions do not reduce it enough. They never reduce the bias of much too short runs.
func (c Cell) Uncertain(unit string) (share float64, ok bool) {
	for _, r := range c {
		if v, marked := r.Uncertain[unit]; marked {
			share, ok = max(share, v), true
		}
	}
	if pooled := share / math.Sqrt(float64(len(c))); share <= maxPooled && pooled <= maxUnmarked {
		return 0, false
	}
	return share, ok
}

const maxPooled, maxUnmarked = 0.5, 0.15

// Show formats the median of a metric, with "≈" if it is Uncertain. It returns "–" without a value,
// and for errors above 100 %.
func (c Cell) Show(unit string) string {
	v := c.Value(unit)
	if math.IsNaN(v) {
		return "–"
	}
	share, _ := c.Uncertain(unit)
	return text.Uncertain(unit, v, share)
}

// ShowInWords is like Show, with words instead of a dash: "the p99 is unknown (error above ±100 %)".
func (c Cell) ShowInWords(unit string) string {
	if c.Known(unit) {
		return c.Show(unit)
	}
	return "unknown (error above ±100 %)"
}

// Known reports whether Show returns a value.
func (c Cell) Known(unit string) bool { return c.Show(unit) != "–" }

// A Loss is the share of the tasks that failed in one way.
type Loss struct {
	What  string // shed, throttled, failed, abandoned, gave up
	Share float64
}

// Losses returns the shares above 0: medians, or means if the median is 0, since only some
// repetitions may lose tasks.
func (c Cell) Losses() (out []Loss) {
	for _, what := range rundir.Lost {
		var shares []float64
		for _, r := range c {
			if v, ok := r.Value(metric.ShareOf(what)); ok && !math.IsNaN(v) {
				shares = append(shares, v)
			}
		}
		if len(shares) == 0 {
			continue
		}
		share := statistics.Median(shares)
		if share == 0 {
			share = stat.Mean(shares, nil)
		}
		if share > 0 {
			out = append(out, Loss{strings.ReplaceAll(what, "-", " "), share})
		}
	}
	return out
}

// LossWords returns, for example, "4.2 % of tasks shed, 1.0 % throttled", or "".
func (c Cell) LossWords() string {
	var words []string
	unit := "of tasks "
	if _, sessions := c.Estimate(metric.Sessions + metric.Count); sessions {
		unit = "of requests "
	}
	for i, l := range c.Losses() {
		of := ""
		if i == 0 {
			of = unit
		}
		words = append(words, text.Share(l.Share)+" "+of+l.What)
	}
	for _, what := range []string{"shed", "failed"} {
		if v, ok := c.Estimate(metric.Sessions + metric.ShareOf(what)); ok && v.Mid > 0 {
			words = append(words, text.Share(v.Mid)+" of sessions "+what)
		}
	}
	return strings.Join(words, ", ")
}

// Lost returns the share of the tasks that did not complete.
func (c Cell) Lost() (sum float64) {
	for _, l := range c.Losses() {
		sum += l.Share
	}
	return sum
}

// Ending returns the share of a run after its last arrival, on which its throughput depends. It is
// 0 if it is negligible, if the queue grew, and for closed arrivals.
func (c Cell) Ending() float64 {
	share := 1 - c.Value(metric.Throughput)/(c.Value(metric.Offered)*(1-c.Lost()))
	if !(share > 1-behindRatio) || !c.hasArrivalRate() || c.FallsBehind() {
		return 0
	}
	return share
}

const behindRatio = 0.92

func (c Cell) hasArrivalRate() bool { return c[0].Key("load") != "" || c[0].Key("rate") != "" }

// FallsBehind reports whether the queue grew throughout the arrivals, so the response depends on
// the length of the run. The throughput is then clearly below the offered load, and the mean wait
// is about half of the time after the arrivals. A slowly growing queue completes almost the offered
// load, so at a load of 1 or more it suffices that each run detected the growth. FallsBehind is
// false for closed arrivals, and for runs too short for a steady state.
func (c Cell) FallsBehind() bool {
	const refused, grown, beyond = 0.01, 0.02, 0.1
	d := c.summarizeDoubts()
	if d.finds(rundir.CheckLength) {
		return false
	}
	offered := c.Value(metric.Offered)
	arrivals := float64(c[0].Iters) / offered
	rest := float64(c[0].Iters)/c.Value(metric.Throughput) - arrivals
	wait, told := c.Estimate(metric.MeanWait)
	grew := !told || wait.Mid > max(grown*arrivals, beyond*rest) || d.finds(growth...)
	grows := grew && c.Value(metric.Throughput) < behindRatio*offered || c.load() >= 1 &&
		!slices.ContainsFunc(c, func(r *Run) bool { return !finds(r.Doubts, growth...) })
	return c.hasArrivalRate() && grows && c.Lost() < refused
}

func (c Cell) load() float64 {
	load, _ := strconv.ParseFloat(c[0].Key("load"), 64)
	return load
}

// Doubts contains the reasons why a cell's runs are SUSPECT or INVALID.
type Doubts struct {
	Verdict Verdict // worst of its runs: Suspect or Invalid
	Which   string  // which runs, in words
	All     bool    // whether every run is doubted
	Why     []Doubt // first reason of each check
}

// Doubts returns nil if no run is doubted. A cell that falls behind is doubted even if no single
// run detected it.
func (c Cell) Doubts() *Doubts {
	d := c.summarizeDoubts()
	if !c.Judged() || d != nil && d.Verdict == Invalid || d.finds(growth...) || !c.FallsBehind() {
		return d
	}
	if d == nil {
		d = &Doubts{Verdict: Suspect, Which: "all runs together", All: true}
	}
	d.Why = append(d.Why, Doubt{Text: fmt.Sprintf("%s: %s completed of %s offered, and none "+
		"refused: the queue grows, so the results depend on the length of the run", rundir.CheckOverload,
		text.Rate(c.Value(metric.Throughput)), text.Rate(c.Value(metric.Offered)))})
	return d
}

// Overloaded reports whether the only doubt is confirmed overload, which does not make the
// measurement unreliable.
func (c Cell) Overloaded() bool {
	d := c.Doubts()
	return d != nil && d.Verdict != Invalid && d.OfOverload() && (c.load() >= 1 || c.FallsBehind())
}

func (c Cell) summarizeDoubts() *Doubts {
	d, doubtful := &Doubts{}, 0
	var checks []string
	for _, run := range c {
		v, _ := run.Verdict()
		if v == Valid {
			continue
		}
		d.Verdict = max(d.Verdict, v)
		doubtful++
		for _, why := range run.Doubts {
			if check := why.Check(); !slices.Contains(checks, check) {
				checks, d.Why = append(checks, check), append(d.Why, why)
			}
		}
	}
	if doubtful == 0 {
		return nil
	}
	d.Which = fmt.Sprintf("%d of %s", doubtful, text.Count(len(c), "run"))
	d.All = doubtful == len(c)
	if d.Why == nil && d.Verdict == Invalid {
		d.Why = []Doubt{{true, "one of its runs broke an invariant"}}
	}
	return d
}

// Text returns the reasons on one line.
func (d *Doubts) Text() string {
	return strings.Join(text.Texts(d.Why, func(why Doubt) string { return why.Text }), "; ")
}

// OfOverload reports whether overload is the only reason.
func (d *Doubts) OfOverload() bool {
	return d.only(append([]string{rundir.CheckLength}, growth...)...)
}

// OfGap reports whether the only reason is missing tasks, so the recorded ones are reliable.
func (d *Doubts) OfGap() bool { return d.only(rundir.CheckGap) }

// Unfinished reports whether the only reason is that the run is not over.
func (d *Doubts) Unfinished() bool { return d.only(rundir.CheckUnfinished) }

var growth = []string{rundir.CheckDrift, rundir.CheckOverload}

func (d *Doubts) finds(checks ...string) bool { return d != nil && finds(d.Why, checks...) }

func finds(why []Doubt, checks ...string) bool {
	return slices.ContainsFunc(why, func(w Doubt) bool {
		return slices.Contains(checks, w.Check())
	})
}

func (d *Doubts) only(checks ...string) bool {
	return d.Why != nil && !slices.ContainsFunc(d.Why, func(w Doubt) bool {
		return !slices.Contains(checks, w.Check())
	})
}

// Check returns the name of the check.
func (d Doubt) Check() string {
	check, _, _ := strings.Cut(d.Text, ":")
	return check
}

// Gather groups values with equal keys, by first appearance.
func Gather[S ~[]T, T any, K comparable](all S, key func(T) K) (groups []S) {
	at := map[K]int{}
	for _, v := range all {
		i, known := at[key(v)]
		if !known {
			i = len(groups)
			at[key(v)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}
