package gate

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/results"
)

// maxValues limits the values of both sides together, since an exact test of 100 against 100
// values takes 12 µs of CPU per value.
const maxValues = 400_000

// DefaultOptions are a margin of 2 %, a promise of 10 % and an alpha of 0.05.
func DefaultOptions() verdict.Options {
	d := judge.Defaults()
	return verdict.Options{Margin: d.Margin, Promise: d.Promise, Alpha: d.Alpha}
}

// Judge decides for each metric of each benchmark whether new is worse than old.
//
// Runs are paired as in package compare, by numbered pairs or common seeds. Pairs are tested by the
// signed-rank test of their changes, and tails (p99 and above) by swapping the runs of pairs, on
// the histograms of both run directories. Without enough pairs, values are tested by the rank test,
// which allows for different spreads. Tests are exact up to 100 pairs, or 100 values in both.
//
// A metric is worse if the one-sided test of a change beyond the margin is significant after Holm's
// adjustment over all gated metrics. Better is defined in the same way. A margin of 2 % is a factor
// of 1.02 in time, and of 1/1.02 in throughput. A metric is no worse if the interval of the ratio
// excludes every change for the worse of the size of the promise. Otherwise it is inconclusive, and
// always if it has fewer samples than a significant result needs. Metrics that are always 0, or
// equal in every pair and not rounded, are no worse without a test. A metric that was always 0 and
// is not now can only be worse or inconclusive. Metrics with assume=exact in Unit lines are
// compared without a test if their values confirm it.
//
// A benchmark with an INVALID run is inconclusive. Verdicts on SUSPECT runs are marked.
//
// Not gated, but listed: a metric without direction or only on the new side; metrics that repeat
// the plan of an open-loop run below saturation; and, unless requested, maxima and metrics of the
// measurement itself. Benchmarks on only one side do not decide, unless opts.FailOnRemoved is set.
//
// Faults: output of a failed go test, or with missing runs; nothing to gate; a metric of
// opts.Metrics that cannot be gated; inputs from different machines or Go versions, unless allowed.
// Unclear: an incomplete input, unless allowed; a run that breaks conservation laws; a gated metric
// that the new side lacks, or that has negative values. Errors: an invalid option, inputs rejected
// by compare.Two, more than 400,000 values, or an unreadable log of histograms.
func Judge(old, new *results.Results, opts verdict.Options) (*verdict.Report, error) {
	o := judge.Defaults()
	o.Margin, o.Promise, o.Alpha = opts.Margin, opts.Promise, opts.Alpha
	if err := o.Validate(); err != nil {
		return nil, err
	}
	better := map[string]results.Direction{}
	for unit, d := range opts.Better {
		better[unit] = results.Direction(d)
	}
	c, err := compare.Two(old, new, compare.Options{Metrics: opts.Metrics, Better: better})
	if err != nil {
		return nil, err
	}
	r := &verdict.Report{Old: c.Columns[0], New: c.Columns[1], Options: opts}
	in := inputs{r, old, new}
	in.check(c)
	paired := in.pairings()
	doubts := in.doubts()
	samples := choose(r, c, paired, doubts, old.Schema > 0 && new.Schema > 0,
		old.Ours())
	values := 0
	for _, s := range samples {
		values += len(s.Base) + len(s.Head)
	}
	if values > maxValues {
		return nil, fmt.Errorf("%d values are too many, at most %d are possible: select fewer "+
			"metrics", values,
			maxValues)
	}
	if err := in.findTails(samples, paired); err != nil {
		return nil, err
	}
	judged, err := judge.JudgeOnce(o, samples)
	if err != nil {
		return nil, err
	}
	judged.AddTo(r)
	r.WarnOfAllowances()
	in.addDoubts(doubts)
	return r, in.explain(paired)
}

// Files written by poolbench have unrounded values. ours includes poolbench's runs in go test.
func choose(
	r *verdict.Report, c *compare.Comparison, paired map[benchmarkID]results.Pairing,
	doubts map[benchmarkID][2]*results.DoubtfulCell, full, ours bool,
) (samples []judge.Sample) {
	gone := make(map[compare.Missing]bool) // with Unit "" a whole benchmark
	for _, m := range c.Missing {
		gone[m] = true
	}
	choice := judge.Choice{Report: r, Sides: [2]string{r.Old, r.New}}
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			m := judge.Candidate{Metric: judge.Metric{Package: results.Lookup(t.Key, "pkg"),
				Benchmark: row.Name, Unit: t.Unit, Better: verdict.Direction(t.Better),
				Exact: t.Exact, Full: full}, Ours: ours}
			m.Allowed.Amount, m.Allowed.Share = r.Options.Allowed(row.Name, t.Unit)
			unmatched := false
			for side, cell := range row.Cells {
				if cell != nil {
					m.Values[side] = cell.Sample.Values
				} else if gone[compare.Missing{Benchmark: t.RowName(row),
					Column: c.Columns[side]}] {
					unmatched = true
				}
			}
			if unmatched { // listed as added or removed
				continue
			}
			if choice.Accept(m) {
				id := benchmarkID{m.Package, m.Benchmark}
				s := judge.Sample{Metric: m.Metric, Pairs: pairsOf(paired[id], t.Unit),
					Base: m.Values[0], Head: m.Values[1]}
				if d := doubts[id][0].Worse(doubts[id][1]); d.Mark() == results.Invalid.String() {
					s.Unfit = d.Short() + ": not judged"
				}
				samples = append(samples, s)
			}
		}
	}
	choice.Close()
	return samples
}
