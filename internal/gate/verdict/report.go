package verdict

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/metric"
)

const (
	ExitFine        = 0 // every metric is better, no worse, or not suspected
	ExitRegression  = 1 // a metric is worse, or missing although FailOnRemoved is set
	ExitFault       = 2 // the inputs cannot be compared, or a control failed
	ExitUndecidable = 3 // no regression shown, but not excluded either
)

type Options struct {
	Margin float64 `json:"margin"` // δ: changes up to this fraction are ignored; 0.02 is 2 %
	// Promise (e) is the regression that "no worse" excludes.
	Promise float64 `json:"promise"`
	// Alpha is the probability of any false "worse" in the whole gate. instructions/op is a
	// separate family with the same probability.
	Alpha float64 `json:"alpha"`
	// Empty means all metrics with a known direction, except for a few (see judge.Choice).
	Metrics []string `json:"-"`
	// Better contains directions of tidied units, which override Unit lines.
	Better map[string]Direction `json:"-"`
	Allow  []Allowance          `json:"-"`

	FailOnRemoved    bool `json:"-"` // a benchmark that only the old side has is a regression
	AllowPartial     bool `json:"-"` // judge incomplete files by their contents
	AllowEnvironment bool `json:"-"` // compare across machines and Go versions
}

// gate.WriteJSON writes the Report as JSON, after a head.
type Report struct {
	Old, New string     `json:"-"` // labels of the inputs
	Options             // settings of the verdicts
	Tests    int        `json:"tests"`     // number of tests for which p-values are adjusted
	Rows     []Row      `json:"rows"`      // all judged metrics, by the severity of the verdict
	NotGated []NotGated `json:"not_gated"` // the other metrics
	Added    []string   `json:"added"`     // benchmarks that only the new side has, with package
	Removed  []string   `json:"removed"`   // benchmarks that only the old side has, with package
	// Faults are reasons why the inputs cannot be compared, or failed controls: exit code 2.
	Faults []string `json:"faults"`
	// Unclear are reasons for no verdict, in addition to inconclusive rows: exit code 3.
	Unclear []string `json:"unclear"`
	// Doubts are distinct reasons why runs are SUSPECT or INVALID.
	Doubts   []string `json:"doubts"`
	Warnings []string `json:"warnings"`

	Spent *Elapsed `json:"spent"` // nil if it did not measure
	Pairs []Pairs  `json:"-"`     // pairs of each row, in the order of Rows, then of the controls
}

// Elapsed is the duration in seconds since the last resume.
type Elapsed struct {
	Whole     float64 `json:"whole"`     // from the checkout to the verdict, including builds
	Measuring float64 `json:"measuring"` // part of Whole for warm-up and pairs
}

// A Row judges one metric of one benchmark. Ratios are new to old.
type Row struct {
	Package   string    `json:"package"`
	Benchmark string    `json:"benchmark"`
	Metric    string    `json:"metric"`
	Better    Direction `json:"better"`
	Verdict   Verdict   `json:"verdict"`
	Reason    string    `json:"reason"` // reason if the numbers do not show it
	Test      Test      `json:"test"`   // test of the p-values and the estimate
	Paired    bool      `json:"paired"` // the values are judged in pairs of runs
	// all values are equal, or all pairs have equal values
	Equal bool `json:"equal,omitempty"`
	// Doubt is SUSPECT or INVALID if a run of either side is.
	Doubt string `json:"doubt,omitempty"`
	Old   Side   `json:"old"`
	New   Side   `json:"new"`
	Ratio Number `json:"ratio"`
	// The interval of the ratio at confidence 1−alpha, NaN and +Inf if the samples are too small.
	Lo Number `json:"low"`
	Hi Number `json:"high"`

	// P-values of the two one-sided tests that the change exceeds the margin, unadjusted and
	// adjusted by Holm. The adjustment is over all rows, or over the rows of a stage and family in
	// a gate that measured by itself.
	PWorse      float64 `json:"p_worse"`
	PWorseHolm  float64 `json:"p_worse_holm"`
	PBetter     float64 `json:"p_better"`
	PBetterHolm float64 `json:"p_better_holm"`

	// Detectable is the smallest change for the worse that is found with 80 % probability, as a
	// signed fraction: 0.05 is 5 % up. It is NaN if unknown.
	Detectable Number `json:"detectable"`
	// Undecided: inconclusive because of too few values. Needs is the approximate number of pairs,
	// or samples of each side, that would decide, or 0.
	Undecided bool `json:"-"`
	Needs     int  `json:"needs,omitempty"`

	// MadeOf describes the parts of the difference of the same tasks, for a response that is worse.
	MadeOf string `json:"made_of,omitempty"`
}

// The ratio of the row comes from pairs of values, and may differ from the ratio of the medians of
// its sides.
type Side struct {
	N      int     `json:"n"` // number of values; number of pairs if Paired
	Median float64 `json:"median"`
	// Uncertain is the relative 95 % error of the values by the plan of their runs if above 25 %,
	// otherwise 0.
	Uncertain Number `json:"uncertain,omitzero"`
}

// A Number is null in JSON if it is infinite or NaN. Null is read as NaN.
type Number float64

func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(n), 0) || math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

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

type Pairs struct {
	Row      Row
	Old, New []float64 // values of pair i
	// Screened is the number of pairs of the screening, which come first.
	Screened int
	Margin   float64 // margin of the row's family
}

type NotGated struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
	Metric    string `json:"metric"`
	Reason    string `json:"reason"`
	Ratio     Number `json:"ratio"`
}

// Distrust replaces every verdict that a busy machine affects by Inconclusive.
func (r *Report) Distrust(why string) {
	for i := range r.Rows {
		if row := &r.Rows[i]; !IsAllocation(row.Metric) {
			row.Verdict, row.Reason = Inconclusive, why
		}
	}
	r.Sort()
}

func (r *Report) Sort() {
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Compare(a.Verdict.Severity(), b.Verdict.Severity())
	})
}

// A busy machine does not change allocations.
func IsAllocation(unit string) bool {
	return unit == metric.BytesPerOp || unit == metric.AllocsPerOp
}

// Faults have priority, then regressions, then inconclusive results.
func (r *Report) ExitCode() int {
	first := NoWorse // the most severe verdict
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

func (r *Report) Count(v Verdict) int {
	n := 0
	for _, row := range r.Rows {
		if row.Verdict == v {
			n++
		}
	}
	return n
}
