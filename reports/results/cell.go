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

// A Cell has the repetitions of one scenario: at least one.
type Cell []*Run

// An Estimate is the value of a metric of a cell, the median of its repetitions, with an interval
// around it. It is the value that terminal, page, compare and gate show (Show); changes between two
// cells are of pairs of runs, and need not be the ratio of their values.
type Estimate struct{ Mid, Lo, Hi float64 }

// Enough is the number of repetitions from which the order statistics give a 95 % interval of the
// median. Below it the interval of an Estimate is from the smallest to the largest.
const Enough = 6

// Values are those of a metric, by its tidied unit, of the repetitions that have it.
func (c Cell) Values(unit string) (values []float64) {
	for _, r := range c {
		if v, ok := r.Value(unit); ok {
			values = append(values, v)
		}
	}
	return values
}

// Judged reports whether the file says of any repetition whether it may be believed.
func (c Cell) Judged() bool {
	return slices.ContainsFunc(c, func(r *Run) bool {
		_, known := r.Verdict()
		return known
	})
}

// Estimate returns the estimate of a metric, by its tidied unit, and whether any repetition has it.
func (c Cell) Estimate(unit string) (Estimate, bool) {
	values := c.Values(unit)
	if len(values) == 0 {
		return Estimate{}, false
	}
	e := Estimate{statistics.Median(values), slices.Min(values), slices.Max(values)}
	if len(values) >= Enough {
		sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
		summary := benchmath.AssumeNothing.Summary(sample, 0.95)
		e.Lo, e.Hi = summary.Lo, summary.Hi
	}
	return e, true
}

// Value is the middle of the estimate, NaN where no repetition has the metric.
func (c Cell) Value(unit string) float64 {
	e, ok := c.Estimate(unit)
	if !ok {
		return math.NaN()
	}
	return e.Mid
}

// Uncertain returns the relative 95 % error of a metric, if it is beyond 25 % in any of the
// repetitions and they are too few to make up for it: the value must be shown as uncertain ("≈").
// Repetitions do not help a run that is much too short, whose error is a bias.
func (c Cell) Uncertain(unit string) (share float64, ok bool) {
	for _, r := range c {
		if v, marked := r.Uncertain[unit]; marked {
			share, ok = max(share, v), true
		}
	}
	if pooled := share / math.Sqrt(float64(len(c))); share <= mostPooled && pooled <= mostUnmarked {
		return 0, false
	}
	return share, ok
}

// Errors of up to mostPooled are made up for by further repetitions, down to mostUnmarked.
const mostPooled, mostUnmarked = 0.5, 0.15

// Show returns the value of a metric with its unit, as every output shows it: the median of the
// repetitions, with "≈" before it where it is Uncertain. It is "–" where no repetition has the
// metric, and where its error is beyond 100 %.
func (c Cell) Show(unit string) string {
	v := c.Value(unit)
	if math.IsNaN(v) {
		return "–"
	}
	share, _ := c.Uncertain(unit)
	return text.Uncertain(unit, v, share)
}

// Say is Show for a sentence, which has no place for a dash: "the p99 is unknown (error above
// ±100 %)".
func (c Cell) Say(unit string) string {
	if c.Known(unit) {
		return c.Show(unit)
	}
	return "unknown (error above ±100 %)"
}

// Known reports whether Show returns a value: some repetition has the metric, and its error is not
// above 100 %.
func (c Cell) Known(unit string) bool { return c.Show(unit) != "–" }

// A Loss is a share of the tasks that did not complete, and what became of them.
type Loss struct {
	What  string // shed, throttled, failed, abandoned
	Share float64
}

// Losses are the shares above 0: the median of the repetitions, as tables have it, or where that is
// 0 the mean, since of five one may lose tasks.
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
			out = append(out, Loss{what, share})
		}
	}
	return out
}

// LossWords says what became of the tasks that did not complete: "4.2 % of tasks shed, 1.0 %
// throttled". It is "" where all completed. Requests of sessions have the sessions beside them,
// each of which one request ends.
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
	for _, what := range []string{"shed", "failed"} { // their only losses
		if v, ok := c.Estimate(metric.Sessions + metric.ShareOf(what)); ok && v.Mid > 0 {
			words = append(words, text.Share(v.Mid)+" of sessions "+what)
		}
	}
	return strings.Join(words, ", ")
}

// Lost is the share of the tasks that did not complete, whatever became of them.
func (c Cell) Lost() (sum float64) {
	for _, l := range c.Losses() {
		sum += l.Share
	}
	return sum
}

// Ending is the share of a run that was left after its arrivals, for the last tasks: where it is
// large, the throughput says more of the run's length than of what is sustained. It is 0 where that
// is next to nothing, where the queue grew, and for closed arrivals.
func (c Cell) Ending() float64 {
	share := 1 - c.Value(metric.Throughput)/(c.Value(metric.Offered)*(1-c.Lost()))
	if !(share > 1-behind) || !c.open() || c.FallsBehind() {
		return 0
	}
	return share
}

// behind is up to which share of what is offered a throughput is clearly less.
const behind = 0.92

// open reports whether tasks come at a rate, of the scenario's own or by its load.
func (c Cell) open() bool { return c[0].Key("load") != "" || c[0].Key("rate") != "" }

// FallsBehind reports whether the queue grew for as long as the arrivals lasted, so that the
// response only grows with the length of the run: the throughput is clearly below the offered load,
// and next to nothing is refused. A strategy that keeps up also takes a little longer than the
// arrivals, for its last tasks: those may be most of a short run, but unlike a queue that grows
// they make no task wait, nor the run change. A queue that grows makes the mean task wait half of
// what the run takes beyond its arrivals. (What a server keeps waiting is not told as a wait.) A
// queue that grows slowly completes nearly what is offered: at a load of 1 or more it is enough
// that each run found it to grow. False for closed arrivals, which wait for completions, and for
// runs that are too short to have a steady state: their last tasks are most of them.
func (c Cell) FallsBehind() bool {
	const refused, grown, beyond = 0.01, 0.02, 0.1
	d := c.told()
	if d.finds(rundir.CheckLength) {
		return false
	}
	offered := c.Value(metric.Offered)
	arrivals := float64(c[0].Iters) / offered
	rest := float64(c[0].Iters)/c.Value(metric.Throughput) - arrivals
	wait, told := c.Estimate(metric.MeanWait)
	grew := !told || wait.Mid > max(grown*arrivals, beyond*rest) || d.finds(growth...)
	grows := grew && c.Value(metric.Throughput) < behind*offered || c.load() >= 1 &&
		!slices.ContainsFunc(c, func(r *Run) bool { return !finds(r.Doubts, growth...) })
	return c.open() && grows && c.Lost() < refused
}

// load is the load that was asked for; 0 where there is none.
func (c Cell) load() float64 {
	load, _ := strconv.ParseFloat(c[0].Key("load"), 64)
	return load
}

// Doubts are what is said against the runs of a cell that may not be believed, or not quite.
type Doubts struct {
	Verdict Verdict // Suspect or Invalid: the worst of its runs
	Which   string  // how many of its runs
	All     bool    // it is every run
	Why     []Doubt // the first reason of each check
}

// Doubts sums up the verdicts on the runs; nil where all are valid, or not known. A cell that falls
// behind is doubted for that also where no run has found it by itself.
func (c Cell) Doubts() *Doubts {
	d := c.told()
	if !c.Judged() || d != nil && d.Verdict == Invalid || d.finds(growth...) || !c.FallsBehind() {
		return d
	}
	if d == nil {
		d = &Doubts{Verdict: Suspect, Which: "all runs together", All: true}
	}
	d.Why = append(d.Why, Doubt{Text: fmt.Sprintf("%s: %s completed of %s offered, and none refused: "+
		"the queue grows, so that the figure depends on the length of the run", rundir.CheckOverload,
		text.Rate(c.Value(metric.Throughput)), text.Rate(c.Value(metric.Offered)))})
	return d
}

// Overloaded reports whether all that is said against a cell is that more is offered than it can
// do, and that is so: by its load, or since it falls behind. That is no doubt of the measurement.
func (c Cell) Overloaded() bool {
	d := c.Doubts()
	return d != nil && d.Verdict != Invalid && d.OfOverload() && (c.load() >= 1 || c.FallsBehind())
}

// told sums up what the runs say of themselves.
func (c Cell) told() *Doubts {
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
		d.Why = []Doubt{{true, "a run of it broke an invariant"}}
	}
	return d
}

// Text is the reasons on one line.
func (d *Doubts) Text() string {
	return strings.Join(text.Texts(d.Why, func(why Doubt) string { return why.Text }), "; ")
}

// OfOverload reports whether all that is said is what an overload brings by itself.
func (d *Doubts) OfOverload() bool {
	return d.only(append([]string{rundir.CheckLength}, growth...)...)
}

// OfGap reports whether all that is said is that some tasks are missing: the others count.
func (d *Doubts) OfGap() bool { return d.only(rundir.CheckGap) }

// Unfinished reports whether all that is said is that the run is not over.
func (d *Doubts) Unfinished() bool { return d.only(rundir.CheckUnfinished) }

// growth are the checks that find what changes while a run goes on.
var growth = []string{rundir.CheckDrift, rundir.CheckOverload}

// finds reports whether any of these checks says something.
func (d *Doubts) finds(checks ...string) bool { return d != nil && finds(d.Why, checks...) }

func finds(why []Doubt, checks ...string) bool {
	return slices.ContainsFunc(why, func(w Doubt) bool {
		return slices.Contains(checks, w.Check())
	})
}

// only reports whether these checks say something, and no others do.
func (d *Doubts) only(checks ...string) bool {
	return d.Why != nil && !slices.ContainsFunc(d.Why, func(w Doubt) bool {
		return !slices.Contains(checks, w.Check())
	})
}

// Check is the name of the check that found it.
func (d Doubt) Check() string {
	check, _, _ := strings.Cut(d.Text, ":")
	return check
}

// Gather puts together what has the same key, in the order of the first of each.
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
