package judge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
)

// A Row is the result for one metric. After a second stage its numbers come from the fresh pairs
// alone, because the pairs that made it suspect are biased by the selection.
type Row struct {
	Metric
	Verdict verdict.Verdict
	Reason  string
	Suspect bool // suspect after the first stage
	Hopeful bool // looks better after the first stage, and is not suspect
	unclear bool // suspect only because of its noise
	paired  bool
	unfit   string // see Sample

	N, HeadN   int     // number of pairs, in both; or numbers of values of base and head
	Base, Head float64 // medians
	Evidence
	PWorseHolm, PBetterHolm float64 // adjusted over the family of its stage

	// Detectable is the smallest worsening that all stages together find with 80 % probability, or
	// NaN.
	Detectable float64

	// Undecided rows are inconclusive because of too few values. Needs is the approximate number of
	// pairs, or values of each side, that would decide, or 0.
	Undecided bool
	Needs     int
}

type Report struct {
	Rows     []Row
	Tests    int // number of tests in the family of the last stage
	Warnings []string
}

func (r *Report) family(keep func(*Row) bool) (family []*Row) {
	for i := range r.Rows {
		if row := &r.Rows[i]; keep(row) && row.unfit == "" {
			family = append(family, row)
		}
	}
	return family
}

func (row *Row) kind() string {
	if row.paired {
		return "pairs"
	}
	return "samples of each side"
}

func anyRow(*Row) bool { return true }

func (row *Row) isSuspect() bool { return row.Suspect }

func (row *Row) isHopeful() bool { return row.Hopeful }

func (r *Report) AddTo(to *verdict.Report) {
	for _, row := range r.Rows {
		to.Rows = append(to.Rows, row.reportRow())
	}
	to.Sort()
	to.Tests += r.Tests
	to.Warnings = append(to.Warnings, r.Warnings...)
}

func (row *Row) reportRow() verdict.Row {
	sign := -float64(row.Better)
	low, high := math.Exp(sign*row.Low), math.Exp(sign*row.High)
	if low, high = min(low, high), max(low, high); low == 0 && math.IsInf(high, 1) {
		low = math.NaN()
	}
	ratio := math.Exp(sign * row.Change)
	return verdict.Row{
		Package: row.Package, Benchmark: row.Benchmark, Metric: row.Unit, Better: row.Better,
		Verdict: row.Verdict, Reason: row.Reason, Test: row.Test,
		Paired: row.paired, Equal: row.Equal,
		Old:   verdict.Side{N: row.N, Median: row.Base},
		New:   verdict.Side{N: row.HeadN, Median: row.Head},
		Ratio: verdict.Number(ratio), Lo: verdict.Number(low), Hi: verdict.Number(high),
		PWorse: row.PWorse, PBetter: row.PBetter,
		PWorseHolm: row.PWorseHolm, PBetterHolm: row.PBetterHolm,
		Detectable: verdict.Number(math.Exp(sign*row.Detectable) - 1),
		Undecided:  row.Undecided, Needs: row.Needs,
	}
}

func (o Options) row(s Sample, tests int, ranks RankSums) Row {
	row := Row{Metric: s.Metric, N: s.N(), HeadN: s.N(), Detectable: math.NaN(), paired: s.N() > 0,
		unfit: s.Unfit}
	if s.empty() {
		row.Base, row.Head = math.NaN(), math.NaN()
		row.Evidence = Evidence{Change: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), PWorse: 1,
			PBetter: 1, Test: verdict.BySignedRank, LeastP: 1, SE: math.NaN()}
		return row
	}
	bases, heads := s.sides()
	if row.N == 0 {
		row.N, row.HeadN = len(bases), len(heads)
	}
	row.Evidence = o.weigh(s, tests, ranks)
	row.Base, row.Head = statistics.Median(bases), statistics.Median(heads)
	return row
}

func (row *Row) deviation() float64 { return row.SE / rankLoss * math.Sqrt(float64(row.N)) }

func (r *Report) warnOfVariation(s Sample, row Row) {
	warning := fmt.Sprintf("%v varies although its Unit line has assume=exact, so it is tested "+
		"like other metrics", s.Metric)
	if s.Exact && row.N > 0 && row.Tested() && !slices.Contains(r.Warnings, warning) {
		r.Warnings = append(r.Warnings, warning)
	}
}

// JudgeOnce judges recorded results in a single stage. A sample is judged by ranks if it has no
// pairs, or if its pairs are too few for a verdict in such a large family and the unpaired values
// suffice. (10 pairs can give a p of 1 in 1024 by signs, and 10 values against 10 a p of 1 in
// 184756.)
func JudgeOnce(o Options, samples []Sample) (*Report, error) {
	if err := errors.Join(o.Validate(), checkAll(samples)); err != nil {
		return nil, err
	}
	r := &Report{}
	samples = slices.Clone(samples)
	for i := range samples {
		s := &samples[i]
		if s.empty() {
			return nil, s.errorf("no values")
		}
		s.equal = o.pairsEqual(*s)
		if !s.untested() && s.Unfit == "" {
			r.Tests++
		}
	}
	needed, unpaired := o.Needed(r.Tests), 0
	ranks := RankSums{}
	for _, s := range samples {
		if !s.untested() && s.Unfit == "" && s.N() > 0 && minP(s.N()) > needed &&
			o.minUnpairedP(len(s.Base), len(s.Head)) <= needed {
			s = s.unpaired()
			unpaired++
		}
		row := o.row(s, r.Tests, ranks)
		if s.Unfit != "" {
			row.Verdict, row.Reason = verdict.Inconclusive, s.Unfit
			row.PWorse, row.PBetter, row.PWorseHolm, row.PBetterHolm = 1, 1, 1, 1
		}
		r.Rows = append(r.Rows, row)
		r.warnOfVariation(s, row)
	}
	tests := o.conclude(r.family(anyRow))
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Reason == o.notRuledOut() {
			row.Undecided, row.Needs = true, o.needed(row, tests)
			if row.Needs > 0 {
				row.Reason += fmt.Sprintf("; about %d %s would decide (--count %[1]d)", row.Needs,
					row.kind())
			}
		}
	}
	if unpaired > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s judged as if they were not paired: in a "+
			"family of %s a verdict needs %d pairs", text.Count(unpaired, "metric"),
			text.Count(r.Tests, "test"), MinPairs(needed)))
	}
	return r, nil
}
