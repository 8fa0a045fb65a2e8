package reports

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/internal/judge"
)

// Verdict on one metric of one benchmark.
type Verdict = judge.Verdict

// The verdicts, from the one to look at first. Inconclusive is not a pass.
const (
	Worse        = judge.Worse        // the change for the worse exceeds the margin, significantly
	Inconclusive = judge.Inconclusive // the samples neither show a change nor rule out one that matters
	Better       = judge.Better       // the change for the better exceeds the margin, significantly
	NoWorse      = judge.NoWorse      // a change as large as the promise for the worse is ruled out
)

// The exit codes of a gate.
const (
	ExitFine        = 0 // every metric is better or no worse
	ExitRegression  = 1 // at least one is worse
	ExitFault       = 2 // the inputs cannot be judged against each other
	ExitUndecidable = 3 // no regression shown, but not ruled out either
)

// GateOptions are the settings of Gate; start from DefaultGateOptions.
type GateOptions struct {
	Margin  float64  // δ: changes up to this are not held against anyone; 0.02 is 2 %
	Promise float64  // e: the gate promises to say "no worse" only where a regression this large is ruled out
	Alpha   float64  // probability of any false "worse" in the whole gate; in instructions/op, a family of its own, as much again
	Metrics []string // gate only these; none means all whose direction is known, but for a few (see Gate)

	AllowPartial     bool // judge files that are not whole by what they hold
	AllowEnvironment bool // compare across machines and Go versions
}

// DefaultGateOptions are those of package judge: a margin of 2 %, a promise of 10 % and an alpha of 0.05.
func DefaultGateOptions() GateOptions {
	d := judge.Defaults()
	return GateOptions{Margin: d.Margin, Promise: d.Promise, Alpha: d.Alpha}
}

// GateReport is the outcome of a gate.
type GateReport struct {
	Old, New string // labels of the inputs
	Options  GateOptions
	Rows     []GateRow  // every gated metric of every benchmark, by verdict: worse, inconclusive, better, no worse
	NotGated []NotGated // the other metrics
	Tests    int        // tests that p-values are adjusted for
	Faults   []string   // why the inputs cannot be judged against each other: exit code 2
	Unclear  []string   // why no verdict can be had, beside inconclusive rows: exit code 3
	Warnings []string
	Spent    *GateTime // nil where it measured nothing by itself
}

// GateTime is how long a gate took that measured by itself. One that was resumed counts from there.
type GateTime struct {
	Whole     time.Duration // from the checkout to the verdict, with all that was built
	Measuring time.Duration // of it, warming up and running pairs
}

// GateRow judges one metric of one benchmark. Ratios are new to old.
type GateRow struct {
	Benchmark  string
	Package    string // "" when the results name none
	Metric     string
	Better     int // +1: higher is better, −1: lower is
	Verdict    Verdict
	Reason     string   // for the verdict, where the numbers do not speak for themselves
	Test       GateTest // that the p-values are of, and the estimate goes with
	OldN, NewN int      // pairs, both, where they are Paired
	Old, New   float64  // medians
	Ratio      float64  // Hodges–Lehmann estimate; +Inf when the old values are 0 and the new ones are not
	Lo, Hi     float64  // interval of the ratio at confidence 1−alpha; 0 and +Inf where the samples are too few to bound it

	// P-values of the two one-sided tests, that the change exceeds the margin for the worse and for the better, as
	// they are and adjusted by Holm over all rows; in a gate that measured by itself over the rows of a stage and family. An exact metric has no tests: its p is 0 or 1.
	PWorse, PWorseHolm, PBetter, PBetterHolm float64

	// Detectable is the smallest change for the worse that would have been found worse four times out of five, as a
	// signed fraction: 0.05 is 5 % up. NaN where it cannot be told.
	//
	// Of recorded results, with SE the standard error of the logarithm of the ratio, it is margin and (z(1−alpha/Tests) + z(0.8))·SE
	// together. SE is that of the changes of the pairs; without pairs it is taken from the interval: half its width over the
	// normal quantile 1−alpha/2. In a gate that measured by itself it is what both of its stages find, see judge.Screen.
	Detectable float64
}

// GateTest is how a row was tested.
type GateTest = judge.Test

// The tests of rows.
const (
	ByNone       = judge.ByNone       // not at all: the values are exact, or 0 throughout
	BySignedRank = judge.BySignedRank // by the changes of the pairs
	BySwaps      = judge.BySwaps      // by swapping the runs of pairs, on histograms: a tail
	ByRank       = judge.ByRank       // by the ranks of all values, which come in no pairs
)

// Paired says whether the row was judged by pairs of runs.
func (row *GateRow) Paired() bool { return row.Test == BySignedRank || row.Test == BySwaps }

// NotGated is a metric of a benchmark on which no verdict is passed.
type NotGated struct {
	Benchmark, Package, Metric string
	Reason                     string
	Ratio                      float64 // of the medians, new to old; NaN where one input lacks the metric
}

// ExitCode is that of the gate as a whole. When several apply, faults come first, then regressions, then doubt.
func (r *GateReport) ExitCode() int {
	code := ExitFine
	for _, row := range r.Rows {
		switch row.Verdict {
		case Worse:
			code = ExitRegression
		case Inconclusive:
			if code == ExitFine {
				code = ExitUndecidable
			}
		case Better, NoWorse:
		default:
			panic(fmt.Sprintf("reports: no such verdict: %q", row.Verdict))
		}
	}
	switch {
	case len(r.Faults) > 0 || len(r.Rows) == 0:
		return ExitFault
	case code == ExitFine && len(r.Unclear) > 0:
		return ExitUndecidable
	}
	return code
}

// Count returns how many rows have the verdict.
func (r *GateReport) Count(v Verdict) int {
	n := 0
	for _, row := range r.Rows {
		if row.Verdict == v {
			n++
		}
	}
	return n
}

// Gate judges whether new is worse than old, metric by metric of each benchmark.
//
// Runs are paired where configuration lines number their pairs, or where both inputs were made with the same seeds: the
// runs of a seed faced the same arrivals. A metric in pairs is tested by the exact signed-rank test of its changes, one of
// a tail (p99 and above) by swapping the runs of pairs, on the histograms of both run directories; without pairs, by the
// exact rank test. Pairs that are too few for a verdict, where as many values without would do, are taken as unpaired.
//
// A metric is worse when the one-sided test, of the new values against the old ones moved by the margin for the worse, is
// significant after Holm's adjustment over all metrics gated; better likewise the other way. A margin of 2 % is a factor
// of 1.02 in time, and of 1/1.02 in throughput. It is no worse when the interval of the ratio leaves out every change for
// the worse of the size of the promise. Otherwise it is inconclusive; and so it always is when it has fewer samples than
// the adjusted test needs to be significant at all. A metric that is 0 throughout is no worse without a test, and one that
// was 0 throughout and no longer is can only be worse or inconclusive. Where Unit lines say assume=exact and the values
// bear it out, the values are compared as they are.
//
// Not gated, but listed: a metric without direction; one that only the new side has; ns/op, ops/s and makespan-sec of
// an open-loop run below saturation, which echo the plan; and, unless they are asked for, the largest values (max-…)
// and what tells of the measurement itself (verdict, broken-laws, p99-lag-sec, the hiccups).
//
// Faults: a benchmark that either side lacks; nothing left to gate; a metric of opts.Metrics that cannot be gated for
// want of a direction, of one side, or for its values; inputs from different machines or Go versions, unless allowed.
// Unclear: an input that is not whole, unless allowed; a run that breaks conservation laws; a metric with a direction
// that the new side has lost, or that has negative values, of which there is no ratio. An error is an option that
// makes no sense, inputs that Compare refuses, or a log of histograms that cannot be read.
func Gate(old, new *Results, opts GateOptions) (*GateReport, error) {
	if err := opts.judge().Validate(); err != nil {
		return nil, err
	}
	c, err := Compare(old, new, CompareOptions{Metrics: opts.Metrics})
	if err != nil {
		return nil, err
	}
	r := &GateReport{Old: c.Columns[0], New: c.Columns[1], Options: opts}
	r.checkInputs(c, old, new)
	family := r.choose(c, r.pairings(old, new))
	if err := r.findTails(family, old, new); err != nil {
		return nil, err
	}
	if err := r.judge(family); err != nil {
		return nil, err
	}
	if len(r.Rows) == 0 {
		r.fault("nothing is left to gate")
	}
	return r, nil
}

func (r *GateReport) fault(format string, args ...any) {
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
}
