package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// judge passes a verdict on every candidate.
func (r *GateReport) judge(family []*candidate) {
	var worse, better []float64
	for _, c := range family {
		row := &c.row
		s := estimateShift(c.old, c.new, 1-r.Options.Alpha)
		row.Ratio, row.Lo, row.Hi = s.Ratio, s.Lo, s.Hi
		row.Detectable = math.NaN()
		zero := constant(c.old) && constant(c.new) && c.old[0] == 0 && c.new[0] == 0
		switch {
		case zero || c.exact:
			c.compareExactly(r.Options.Margin)
		default:
			// Zeros throughout do not count in the family: no deal of them is significant, so that no test is spent on
			// them (Tarone 1990).
			c.tested = true
			row.PWorse, row.PBetter = c.rankTests(r.Options.Margin)
			worse, better = append(worse, row.PWorse), append(better, row.PBetter)
		}
	}
	r.Tests = len(worse)
	worse, better = holm(worse), holm(better)
	for _, c := range family {
		if c.tested {
			c.row.PWorseHolm, c.row.PBetterHolm = worse[0], better[0]
			worse, better = worse[1:], better[1:]
			c.row.Detectable = r.Options.detectable(&c.row, r.Tests)
		}
		c.row.Verdict, c.row.Reason = c.verdict(r.Options, r.Tests)
		r.Rows = append(r.Rows, c.row)
	}
	severity := []Verdict{Worse, Inconclusive, Better, NoWorse}
	slices.SortStableFunc(r.Rows, func(a, b GateRow) int {
		return cmp.Compare(slices.Index(severity, a.Verdict), slices.Index(severity, b.Verdict))
	})
}

// rankTests gives the p-values of the tests that the new values exceed the old ones, moved by the margin, for the worse
// and for the better.
func (c *candidate) rankTests(margin float64) (worse, better float64) {
	up, down := mannWhitney(scaled(c.old, 1+margin), c.new).Greater, mannWhitney(scaled(c.old, 1-margin), c.new).Less
	if c.row.Better > 0 {
		return down, up
	}
	return up, down
}

func scaled(values []float64, factor float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v * factor
	}
	return out
}

// compareExactly sets the p-values of values without spread: 0 or 1.
func (c *candidate) compareExactly(margin float64) {
	row := &c.row
	row.Lo, row.Hi = row.Ratio, row.Ratio
	up, down := 1.0, 1.0
	if c.exact {
		row.Detectable = -margin * float64(row.Better)
	}
	switch {
	case row.Ratio > 1+margin:
		up = 0
	case row.Ratio < 1-margin:
		down = 0
	}
	row.PWorse, row.PBetter = up, down
	if row.Better > 0 {
		row.PWorse, row.PBetter = down, up
	}
	row.PWorseHolm, row.PBetterHolm = row.PWorse, row.PBetter
}

func (c *candidate) verdict(o GateOptions, tests int) (v Verdict, reason string) {
	row := &c.row
	if need, few := c.tooFew(o.Alpha, tests); few {
		return Inconclusive, fmt.Sprintf("too few samples: %d and %d, and %d of each are needed", row.OldN, row.NewN, need)
	}
	switch appeared := c.old[len(c.old)-1] == 0 && c.new[len(c.new)-1] > 0; {
	case row.PWorseHolm <= o.Alpha:
		return Worse, ""
	case row.PBetterHolm <= o.Alpha:
		return Better, ""
	case appeared && row.Better < 0:
		return Inconclusive, "was 0 in every run, and no longer is"
	case row.Better < 0 && row.Hi < 1+o.Promise, row.Better > 0 && row.Lo > 1-o.Promise:
		return NoWorse, ""
	}
	return Inconclusive, fmt.Sprintf("a change for the worse of %.4g%% is not ruled out", 100*o.Promise)
}

// tooFew reports whether no values at all could be significant in the adjusted test or bound the interval, and how many
// on each side would do.
func (c *candidate) tooFew(alpha float64, tests int) (need int, few bool) {
	if !c.tested {
		return 0, false
	}
	level := min(alpha/float64(tests), alpha/2)
	return samplesFor(level), smallestP(len(c.old), len(c.new)) > level*(1+1e-9) // Lgamma errs in the last digits
}
