package verdict

import (
	"math"
	"time"
)

// The exit codes of a gate.
const (
	ExitFine        = 0 // every metric is better, no worse, or not suspected
	ExitRegression  = 1 // at least one is worse
	ExitFault       = 2 // the inputs cannot be judged against each other
	ExitUndecidable = 3 // no regression shown, but not ruled out either
)

// Options are the settings of a gate.
type Options struct {
	Margin float64 // δ: changes up to this are ignored; 0.02 is 2 %
	// e: the gate promises to say "no worse" only where a regression this large is ruled out
	Promise float64
	// probability of any false "worse" in the whole gate; in instructions/op, a family of its own,
	// as much again
	Alpha float64
	// gate only these; none means all whose direction is known, but for a few (see gate.Gate)
	Metrics []string

	AllowPartial     bool // judge files that are not whole by what they hold
	AllowEnvironment bool // compare across machines and Go versions
}

// A Report is the outcome of a gate.
type Report struct {
	Old, New string // labels of the inputs
	Options  Options
	Rows     []Row      // every gated metric of every benchmark, by the severity of its verdict
	NotGated []NotGated // the other metrics
	Tests    int        // tests that p-values are adjusted for
	Faults   []string   // why the inputs cannot be judged against each other: exit code 2
	Unclear  []string   // why no verdict can be had, beside inconclusive rows: exit code 3
	Warnings []string

	// Of a gate that measured by itself.
	Spent *Spent  // nil where it did not
	Pairs []Pairs // of each row, in the order of Rows, and then of the controls
}

// Spent is how long a gate took that measured by itself. One that was resumed counts from there.
type Spent struct {
	Whole     time.Duration // from the checkout to the verdict, with all that was built
	Measuring time.Duration // of it, warming up and running pairs
}

// A Row judges one metric of one benchmark. Ratios are new to old.
type Row struct {
	Benchmark  string
	Package    string // "" when the results name none
	Metric     string
	Better     int // +1: higher is better, −1: lower is
	Verdict    Verdict
	Reason     string  // for the verdict, where the numbers do not speak for themselves
	Test       Test    // that the p-values are of, and the estimate goes with
	OldN, NewN int     // pairs, both, where they are Paired
	Old, New   float64 // medians of each side; what a table shows are Centers
	// Hodges–Lehmann estimate; +Inf when the old values are 0 and the new ones are not
	Ratio float64
	// interval of the ratio at confidence 1−alpha; 0 and +Inf where the samples are too few to
	// bound it
	Lo, Hi float64

	// P-values of the two one-sided tests, that the change exceeds the margin for the worse and for
	// the better, as they are and adjusted by Holm over all rows; in a gate that measured by itself
	// over the rows of a stage and family. An exact metric has no tests: its p is 0 or 1.
	PWorse, PWorseHolm, PBetter, PBetterHolm float64

	// Detectable is the smallest change for the worse that would have been found worse four times
	// out of five, as a signed fraction: 0.05 is 5 % up. NaN where it cannot be told.
	//
	// Of recorded results, with SE the standard error of the logarithm of the ratio, it is margin
	// and (z(1−alpha/Tests) + z(0.8))·SE together. SE is that of the changes of the pairs; without
	// pairs it is taken from the interval: half its width over the normal quantile 1−alpha/2. In a
	// gate that measured by itself it is what both of its stages find.
	Detectable float64
}

// Centers are what a table shows of both sides: the median of the old values, and that times Ratio.
// The two then agree with the change beside them, which is of pairs of values and not of medians:
// of 9.3 and 16.3 it may be +43 %.
func (row *Row) Centers() (old, new float64) {
	if math.IsInf(row.Ratio, 1) {
		return row.Old, row.New
	}
	return row.Old, row.Old * row.Ratio
}

// Paired says whether the row was judged by pairs of runs.
func (row *Row) Paired() bool { return row.Test == BySignedRank || row.Test == BySwaps }

// Pairs are all pairs that a row of a gate was measured in, in the order in which they were.
type Pairs struct {
	Row      Row
	Old, New []float64 // of pair i
	// the first ones, which only screened; where the row had fresh pairs, those alone decided
	Screened int
	Margin   float64 // of the row's family
}

// NotGated is a metric of a benchmark on which no verdict is passed.
type NotGated struct {
	Benchmark, Package, Metric string
	Reason                     string
	// of the medians, new to old; NaN where one input lacks the metric
	Ratio float64
}

// ExitCode is that of the gate as a whole. When several apply, faults come first, then regressions,
// then doubt.
func (r *Report) ExitCode() int {
	first := NoWorse // the verdict to look at first
	for _, row := range r.Rows {
		if row.Verdict.Severity() < first.Severity() {
			first = row.Verdict
		}
	}
	switch {
	case len(r.Faults) > 0 || len(r.Rows) == 0 && len(r.Unclear) == 0:
		return ExitFault
	case first == Worse:
		return ExitRegression
	case first == Inconclusive || len(r.Unclear) > 0:
		return ExitUndecidable
	}
	return ExitFine
}

// Count returns how many rows have the verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for _, row := range r.Rows {
		if row.Verdict == v {
			n++
		}
	}
	return n
}
