package verdict

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/metric"
)

// The exit codes of a gate.
const (
	ExitFine        = 0 // every metric is better, no worse, or not suspected
	ExitRegression  = 1 // at least one is worse, or gone where that is not allowed
	ExitFault       = 2 // the inputs cannot be judged against each other, or a control failed
	ExitUndecidable = 3 // no regression shown, but not ruled out either
)

// Options are the settings of a gate.
type Options struct {
	Margin float64 `json:"margin"` // δ: changes up to this are ignored; 0.02 is 2 %
	// e: the gate promises to say "no worse" only where a regression this large is ruled out
	Promise float64 `json:"promise"`
	// probability of any false "worse" in the whole gate; in instructions/op, a family of its own,
	// as much again
	Alpha float64 `json:"alpha"`
	// gate only these; none means all whose direction is known, but for a few (see judge.Choice)
	Metrics []string `json:"-"`
	// directions of units, tidied, which go before those of Unit lines
	Better map[string]Direction `json:"-"`
	Allow  []Allowance          `json:"-"`

	FailOnRemoved    bool `json:"-"` // a benchmark that only the old side has is a regression
	AllowPartial     bool `json:"-"` // judge files that are not whole by what they hold
	AllowEnvironment bool `json:"-"` // compare across machines and Go versions
}

// A Report is the outcome of a gate. As JSON it is what gate.WriteJSON writes, but for the head.
type Report struct {
	Old, New string     `json:"-"` // labels of the inputs
	Options             // that it was judged by
	Tests    int        `json:"tests"`     // tests that p-values are adjusted for
	Rows     []Row      `json:"rows"`      // every gated metric, by the severity of its verdict
	NotGated []NotGated `json:"not_gated"` // the other metrics
	Added    []string   `json:"added"`     // benchmarks that only the new side has, with package
	Removed  []string   `json:"removed"`   // those that only the old side has
	// why the inputs cannot be judged against each other, or which control failed: exit code 2
	Faults []string `json:"faults"`
	// why no verdict can be had, beside inconclusive rows: exit code 3
	Unclear []string `json:"unclear"`
	// why runs are SUSPECT or INVALID, each reason once
	Doubts   []string `json:"doubts"`
	Warnings []string `json:"warnings"`

	// Of a gate that measured by itself.
	Spent *Spent  `json:"spent"` // nil where it did not
	Pairs []Pairs `json:"-"`     // of each row, in the order of Rows, and then of the controls
}

// Spent is how many seconds a gate took that measured by itself. One that was resumed counts from
// there.
type Spent struct {
	Whole     float64 `json:"whole"`     // from the checkout to the verdict, with what was built
	Measuring float64 `json:"measuring"` // of it, warming up and running pairs
}

// A Row judges one metric of one benchmark. Ratios are new to old.
type Row struct {
	Package   string    `json:"package"` // "" when the results name none
	Benchmark string    `json:"benchmark"`
	Metric    string    `json:"metric"`
	Better    Direction `json:"better"`
	Verdict   Verdict   `json:"verdict"`
	Reason    string    `json:"reason"` // where the numbers do not speak for themselves
	Test      Test      `json:"test"`   // that the p-values are of, and the estimate goes with
	Paired    bool      `json:"paired"` // the values are judged in pairs of runs
	// every value is equal, in each pair where there are pairs
	Equal bool `json:"equal,omitempty"`
	// SUSPECT or INVALID where a run of either side is, which goes with the verdict
	Doubt string `json:"doubt,omitempty"`
	Old   Side   `json:"old"`
	New   Side   `json:"new"`
	// Hodges–Lehmann estimate; +Inf when the old values are 0 and the new ones are not
	Ratio Number `json:"ratio"`
	// interval of the ratio at confidence 1−alpha; NaN and +Inf where the samples are too few to
	// bound it
	Lo Number `json:"low"`
	Hi Number `json:"high"`

	// P-values of the two one-sided tests, that the change exceeds the margin for the worse and for
	// the better, as they are and adjusted by Holm over all rows; in a gate that measured by itself
	// over the rows of a stage and family. An exact metric has no tests: its p is 0 or 1.
	PWorse      float64 `json:"p_worse"`
	PWorseHolm  float64 `json:"p_worse_holm"`
	PBetter     float64 `json:"p_better"`
	PBetterHolm float64 `json:"p_better_holm"`

	// Detectable is the smallest change for the worse that would have been found worse four times
	// out of five, as a signed fraction: 0.05 is 5 % up. NaN where it cannot be told.
	//
	// Of recorded results, with SE the standard error of the logarithm of the ratio, it is margin
	// and (z(1−alpha/Tests) + z(0.8))·SE together. SE is that of the changes of the pairs; without
	// pairs it is taken from the interval: half its width over the normal quantile 1−alpha/2. In a
	// gate that measured by itself it is what both of its stages find.
	Detectable Number `json:"detectable"`
	// inconclusive for want of values: about how many pairs, or samples of each side, would decide;
	// 0 where no number would that can be had
	Undecided bool `json:"-"`
	Needs     int  `json:"needs,omitempty"`

	// of a response that is worse: what the difference of the same tasks is made of, in words; ""
	// where that is not known
	MadeOf string `json:"made_of,omitempty"`
}

// A Side is the old or the new values of a row. The ratio of the row is of pairs of values, and
// need not be that of the medians.
type Side struct {
	N      int     `json:"n"` // values; pairs, on both sides, where they are Paired
	Median float64 `json:"median"`
	// 95 % error of the values by the plan of their runs, relative, where it is beyond 25 %; else 0
	Uncertain Number `json:"uncertain,omitzero"`
}

// A Number is null in JSON where it is infinite or NaN.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(n), 0) || math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler: null is NaN.
func (n *Number) UnmarshalJSON(data []byte) error {
	v := math.NaN()
	if string(data) != "null" {
		if err := json.Unmarshal(data, &v); err != nil {
			return err
		}
	}
	*n = Number(v)
	return nil
}

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
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
	Metric    string `json:"metric"`
	Reason    string `json:"reason"`
	// of the medians, new to old; NaN where one input lacks the metric
	Ratio Number `json:"ratio"`
}

// Distrust takes back every verdict on what a busy machine changes. Verdicts on allocations stand.
func (r *Report) Distrust(why string) {
	for i := range r.Rows {
		if row := &r.Rows[i]; !IsAllocation(row.Metric) {
			row.Verdict, row.Reason = Inconclusive, why
		}
	}
	r.Sort()
}

// Sort orders the rows by severity, the worst first.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Compare(a.Verdict.Severity(), b.Verdict.Severity())
	})
}

// IsAllocation reports whether the unit counts allocations, which a benchmark makes however busy
// the machine is.
func IsAllocation(unit string) bool {
	return unit == metric.BytesPerOp || unit == metric.AllocsPerOp
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
	case first == Worse || r.Options.FailOnRemoved && len(r.Removed) > 0:
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
