package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/judge"
)

// judge passes a verdict on every candidate.
func (r *GateReport) judge(family []*candidate) error {
	o := r.Options.judge()
	tests := 0
	for _, c := range family {
		if !c.exact && !c.zero() {
			tests++
		}
	}
	r.unpair(family, tests)
	evidence := make([]judge.Evidence, len(family))
	for i, c := range family {
		var err error
		if evidence[i], err = c.weigh(o, tests); err != nil {
			return err
		}
	}
	r.Tests = tests
	for i, conclusion := range judge.Conclude(o, evidence) {
		row := &family[i].row
		row.Test = evidence[i].Test
		row.PWorse, row.PBetter = evidence[i].PWorse, evidence[i].PBetter
		row.PWorseHolm, row.PBetterHolm = conclusion.PWorseHolm, conclusion.PBetterHolm
		row.Detectable = judge.DetectableRatio(conclusion.Detectable, judge.Direction(row.Better)) - 1
		row.Verdict, row.Reason = conclusion.Verdict, row.reason(o, conclusion)
		r.Rows = append(r.Rows, *row)
	}
	severity := []Verdict{Worse, Inconclusive, Better, NoWorse}
	slices.SortStableFunc(r.Rows, func(a, b GateRow) int {
		return cmp.Compare(slices.Index(severity, a.Verdict), slices.Index(severity, b.Verdict))
	})
	return nil
}

// judge are the options in the judge's words.
func (o GateOptions) judge() judge.Options {
	j := judge.Defaults()
	j.Margin, j.Promise, j.Alpha = o.Margin, o.Promise, o.Alpha
	return j
}

// unpair takes those candidates for unpaired that have too few pairs for a verdict in a family so large, where the values suffice without:
// 10 pairs can give a p of 1 in 1024 by their signs, and 10 values against 10 one of 1 in 184756. That depends on their number alone.
func (r *GateReport) unpair(family []*candidate, tests int) {
	needed := r.Options.judge().Needed(tests)
	changed := 0
	for _, c := range family {
		if len(c.pairs) > 0 && judge.LeastP(len(c.pairs)) > needed && leastUnpairedP(r.Options.judge(), c) <= needed && !c.exact && !c.zero() {
			c.pairs, c.tails = nil, nil
			changed++
		}
	}
	if changed > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s judged as if they were not paired: in a family of %s a verdict takes %d pairs",
			count(changed, "metric"), count(tests, "test"), judge.MinPairs(needed)))
	}
}

func (c *candidate) zero() bool {
	return constant(c.old) && constant(c.new) && c.old[0] == 0 && c.new[0] == 0
}

// weigh makes evidence of the values, in pairs where they come so, and sets the row's estimate.
func (c *candidate) weigh(o judge.Options, tests int) (judge.Evidence, error) {
	row := &c.row
	better := judge.Direction(row.Better)
	switch {
	case c.exact || c.zero():
		row.Ratio = ratio(c.old[0], c.new[0])
		row.Lo, row.Hi = row.Ratio, row.Ratio
		e := judge.Exactly(o, judge.Worsening(c.old[0], c.new[0], better))
		if c.old[0] == 0 {
			e.SE = math.NaN() // no factor makes something of nothing
		}
		return e, nil
	case len(c.pairs) > 0:
		s := judge.Sample{Metric: judge.Metric{Benchmark: row.Package + "." + row.Benchmark, Unit: row.Metric, Better: better}, Pairs: c.pairs}
		if len(c.tails) > 0 {
			s.Quantile, s.Tails, s.Pairs = c.quantile, c.tails, nil
		}
		e, err := judge.Weigh(o, tests, s)
		row.Ratio, row.Lo, row.Hi = e.Ratio(better)
		row.OldN, row.NewN = s.N(), s.N()
		return e, err
	}
	return c.weighUnpaired(o), nil
}

// weighUnpaired weighs by the rank test of the new values against the old ones, moved by the margin.
func (c *candidate) weighUnpaired(o judge.Options) judge.Evidence {
	row := &c.row
	s := estimateShift(c.old, c.new, 1-o.Alpha)
	row.Ratio, row.Lo, row.Hi = s.Ratio, s.Lo, s.Hi
	up, down := mannWhitney(scaled(c.old, 1+o.Margin), c.new).Greater, mannWhitney(scaled(c.old, 1/(1+o.Margin)), c.new).Less
	e := judge.Evidence{
		Test:   judge.ByRank,
		Change: math.Log(s.Ratio), Low: math.Log(s.Lo), High: math.Log(s.Hi),
		PWorse: up, PBetter: down,
		LeastP:   leastUnpairedP(o, c),
		Appeared: row.Better < 0 && c.old[len(c.old)-1] == 0 && c.new[len(c.new)-1] > 0,
		SE:       math.NaN(),
	}
	if row.Better > 0 {
		e.Change, e.Low, e.High = -e.Change, -e.High, -e.Low
		e.PWorse, e.PBetter = down, up
	}
	if s.Lo > 0 && !math.IsInf(s.Hi, 1) {
		e.SE = (e.High - e.Low) / 2 / judge.NormalQuantile(1-o.Alpha/2)
	}
	return e
}

// leastUnpairedP is the smallest p that the rank test can give, and 1 where a side has fewer runs than a verdict takes of each: by their number
// alone one run against 39 would do, but a single process says nothing of how much processes differ.
func leastUnpairedP(o judge.Options, c *candidate) float64 {
	if min(len(c.old), len(c.new)) < samplesFor(o.Needed(1)) {
		return 1
	}
	return smallestP(len(c.old), len(c.new))
}

func scaled(values []float64, factor float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v * factor
	}
	return out
}

// reason puts the cause of a verdict into words.
func (row *GateRow) reason(o judge.Options, c judge.Conclusion) string {
	switch needed := o.Needed(c.Family); {
	case c.Cause == judge.TooFew && row.Paired():
		return fmt.Sprintf("too few pairs: %d, and %d are needed", row.OldN, judge.MinPairs(needed))
	case c.Cause == judge.TooFew:
		return fmt.Sprintf("too few samples: %d and %d, and %d of each are needed", row.OldN, row.NewN, samplesFor(needed))
	}
	return o.Because(c)
}
