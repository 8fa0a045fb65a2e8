package judge

import (
	"fmt"
	"math"
	"slices"
)

// A Row is the outcome for one metric. Where a second stage decided, the numbers are those of its fresh pairs alone: those that made
// it suspect are biased by that very choice.
type Row struct {
	Metric
	Verdict Verdict
	Reason  string // for the verdict, where the numbers do not speak for themselves
	Suspect bool   // after the first stage

	N          int     // pairs that the numbers below are of
	Base, Head float64 // medians
	Evidence
	PWorseHolm, PBetterHolm float64 // adjusted over the family of its stage

	// Detectable is the smallest worsening that would have been found worse four times out of five, through both stages where there
	// are two; NaN where it cannot be told. DetectableRatio makes a ratio of it.
	Detectable float64
}

// A Report is what a gate found.
type Report struct {
	Rows     []Row // in the order of the samples
	Tests    int   // in the family of the last stage
	Warnings []string
}

// Verdict of the whole: that of the row to look at first. Nothing judged is inconclusive.
func (r *Report) Verdict() Verdict {
	whole := Inconclusive
	for i, row := range r.Rows {
		if i == 0 || severity(row.Verdict) < severity(whole) {
			whole = row.Verdict
		}
	}
	return whole
}

func severity(v Verdict) int {
	for i, known := range []Verdict{Worse, Inconclusive, Better, NoWorse} {
		if v == known {
			return i
		}
	}
	panic(fmt.Sprintf("judge: no such verdict: %q", v))
}

// row weighs a sample of a family; without pairs its evidence is that nothing could be found.
func (o Options) row(s Sample, tests int) Row {
	row := Row{Metric: s.Metric, N: s.N(), Detectable: math.NaN()}
	if row.N == 0 {
		row.Base, row.Head = math.NaN(), math.NaN()
		row.Evidence = Evidence{Change: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), PWorse: 1, PBetter: 1, Test: BySignedRank, LeastP: 1, SE: math.NaN()}
		return row
	}
	row.Evidence = o.weigh(s, tests)
	row.Base, row.Head = medians(s.values())
	return row
}

func (row *Row) conclude(o Options, c Conclusion) {
	row.Verdict, row.PWorseHolm, row.PBetterHolm, row.Detectable = c.Verdict, c.PWorseHolm, c.PBetterHolm, c.Detectable
	row.Reason = o.Because(c)
	switch c.Cause {
	case TooFew:
		row.Reason = tooFewPairs(row.N, MinPairs(o.Needed(c.Family)))
	case NotRuledOut:
		if n := o.pairsToFind(row.deviation(), c.Family); n > float64(row.N) {
			row.Reason += fmt.Sprintf("; as these pairs scatter, it takes some %.0f of them", n)
		}
	}
}

// deviation is the standard deviation of the changes behind the row's standard error.
func (row *Row) deviation() float64 { return row.SE / rankLoss * math.Sqrt(float64(row.N)) }

func (r *Report) warnOfVariation(s Sample, row Row) {
	warning := fmt.Sprintf("%v varies although it is said to be exact; it is tested like any other", s.Metric)
	if s.Exact && row.N > 0 && row.Tested() && !slices.Contains(r.Warnings, warning) {
		r.Warnings = append(r.Warnings, warning)
	}
}

func tooFewPairs(n, need int) string {
	return fmt.Sprintf("too few pairs: %d, and %d are needed", n, need)
}
