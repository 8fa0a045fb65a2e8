package gate

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/results"
)

// mostValues limits the values of both sides together: exact tests of 100 against 100 values take
// 12 µs of CPU for each of them.
const mostValues = 400_000

// DefaultOptions are a margin of 2 %, a promise of 10 % and an alpha of 0.05.
func DefaultOptions() verdict.Options {
	d := judge.Defaults()
	return verdict.Options{Margin: d.Margin, Promise: d.Promise, Alpha: d.Alpha}
}

// Judge decides whether new is worse than old, metric by metric of each benchmark.
//
// Runs are paired as in package compare: by configuration lines that number their pairs, or by
// common seeds, since runs with one seed had the same arrivals. A metric in pairs is tested by the
// signed-rank test of its changes, exact up to 100 pairs. A tail (p99 and above) is tested by
// swapping the runs of pairs, on the histograms of both run directories. Without pairs the rank
// test is used, exact up to 100 values in both, which allows for different spreads. If there are
// too few pairs for a verdict, but enough values without pairing, the values count as unpaired.
//
// A metric is worse if the one-sided test, of the new values against the old ones moved by the
// margin for the worse, is significant after Holm's adjustment over all gated metrics. Better is
// defined in the same way. A margin of 2 % is a factor of 1.02 in time, and of 1/1.02 in
// throughput. A metric is no worse if the interval of the ratio excludes every change for the worse
// of the size of the promise. Otherwise it is inconclusive, and always if it has fewer samples than
// the adjusted test needs to be significant at all. A metric that is always 0 is no worse without a
// test. A metric that was always 0 and no longer is can only be worse or inconclusive. With
// assume=exact in Unit lines, and values that confirm it, the values are compared without a test.
//
// A metric that is equal in every pair is no worse, without a test, unless its values were rounded.
// A benchmark with an INVALID run is inconclusive. Verdicts on SUSPECT runs are marked.
//
// Not gated, but listed: a metric without direction or only on the new side; ns/op, ops/s and
// makespan-sec of an open-loop run below saturation, which repeat the plan; and, unless requested,
// the largest values (max-…) and metrics of the measurement itself (verdict, broken-laws,
// p99-lag-sec, the hiccups).
//
// Benchmarks on only one side are listed as added or removed and do not decide, unless
// opts.FailOnRemoved makes a removed one a regression.
//
// Faults: output of a failed go test, or one in which a benchmark has fewer runs than its siblings
// and the other side; nothing left to gate; a metric of opts.Metrics that cannot be gated because
// of its direction, a missing side or its values; inputs from different machines or Go versions,
// unless allowed. Unclear: an incomplete input, unless allowed; a run that breaks conservation
// laws; a gated metric that the new side lacks, or that has negative values, which have no ratio.
// Errors: an invalid option, inputs rejected by compare.Two, more than 400,000 values, or an
// unreadable log of histograms.
//
// A worse response is reported with the parts of its difference: see compare.Decompose.
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
	if values > mostValues {
		return nil, fmt.Errorf("%d values are too many, at most %d are possible: select fewer "+
			"metrics", values,
			mostValues)
	}
	if err := in.findTails(samples, paired); err != nil {
		return nil, err
	}
	judged, err := judge.Once(o, samples)
	if err != nil {
		return nil, err
	}
	judged.AddTo(r)
	r.WarnOfAllowances()
	in.addDoubts(doubts)
	return r, in.explain(paired)
}

// choose selects the gated metrics. Files written by poolbench have unrounded values. ours are runs
// of poolbench, including those within go test.
func choose(
	r *verdict.Report, c *compare.Comparison, paired map[benchmarkID]results.Pairing,
	doubts map[benchmarkID][2]*results.Doubted, full, ours bool,
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
			if choice.Takes(m) {
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
