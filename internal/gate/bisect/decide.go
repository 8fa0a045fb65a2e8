package bisect

import (
	"math"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/statistics"
)

// alpha is the probability that noise alone makes a gate wrong about a commit. It is small because
// a search has many gates and a single wrong one ruins it.
const alpha = 0.01

// maxPairs is the largest number of fresh pairs for a commit in the middle. The first attempt uses
// at most half of them.
const maxPairs = 100

// maxHalf bounds the threshold between the levels of GOOD and BAD: a commit that is nearly twice
// as slow as GOOD never counts as good.
const maxHalf = 0.9

// Every pair of the screening must be below the promise to clear a commit without fresh pairs.
func (s *Search) strict(o judge.Options) judge.Options {
	o.ClearAt = math.Exp2(-float64(o.ScreenPairs))
	return o
}

// Margin and promise of rule are half the change, so "worse" means the level of BAD and "no worse"
// the level of GOOD.
func (s *Search) rule() judge.Options {
	o := s.Judge
	o.Alpha = alpha
	o = s.strict(o)
	if verdict.IsAllocation(s.row.Metric) {
		return o // the allowance decides
	}
	o.Margin = min(math.Expm1(s.change/2), maxHalf)
	o.Promise = o.Margin
	o.FreshPairs = s.pairs()
	return o
}

// pairs returns the number of fresh pairs for which half the change is three standard errors,
// judged by the noise of the first gate.
func (s *Search) pairs() int {
	_, low, high := worsening(s.row)
	deviation := (high - low) / 2 / statistics.NormalQuantile(1-s.Judge.Alpha/2) *
		math.Sqrt(float64(s.row.New.N))
	wanted := math.Pow(3*deviation/(s.change/2), 2)
	if least := s.Judge.FreshPairs; wanted > float64(least) {
		return max(least, int(min(wanted, maxPairs/2)))
	}
	return s.Judge.FreshPairs
}

// allowance returns half of the difference in allocations between BAD and GOOD.
func (s *Search) allowance() []verdict.Allowance {
	if !verdict.IsAllocation(s.row.Metric) {
		return nil
	}
	return []verdict.Allowance{{Benchmark: s.row.Benchmark, Metric: s.row.Metric,
		Amount: (s.row.New.Median - s.row.Old.Median) / 2}}
}

func (s *Search) rowOf(r *verdict.Report) *verdict.Row {
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Metric == s.row.Metric && row.Benchmark == s.row.Benchmark &&
			row.Package == s.row.Package {
			return row
		}
	}
	return nil
}

func (s *Search) side(r *verdict.Report, row *verdict.Row) (Side, string) {
	switch {
	case row == nil && len(r.Unclear) > 0:
		return SideUndecided, r.Unclear[0]
	case row == nil && len(r.Faults) > 0:
		return SideSkipped, r.Faults[0]
	case row == nil:
		return SideSkipped, "no " + name(s.row)
	case row.Verdict == verdict.Worse:
		return SideBad, ""
	case row.Verdict != verdict.Inconclusive:
		return SideGood, ""
	case len(r.Unclear) > 0: // a control failed
		return SideUndecided, r.Unclear[0]
	case verdict.IsAllocation(row.Metric):
		return SideUndecided, row.Reason
	}
	switch odds := s.odds(row); {
	case odds >= math.Log(decisive):
		return SideBad, ""
	case odds <= -math.Log(decisive):
		return SideGood, ""
	}
	return SideUndecided, tooNoisy
}

const tooNoisy = "the pairs scatter too much"

// decisive is the likelihood ratio of the two levels that decides if the test against the middle is
// not significant. It may be checked repeatedly without inflating the error.
const decisive = 50

// odds returns the log likelihood ratio of the level of BAD to the level of GOOD. It assumes that
// the row's distance from the middle is normal with a mean of plus or minus half the change.
func (s *Search) odds(row *verdict.Row) float64 {
	change, low, high := worsening(row)
	half := s.change / 2
	toward := change - low // the error on the side towards the middle
	if change < half {
		toward = high - change
	}
	deviation := math.Hypot(toward/statistics.NormalQuantile(1-alpha/2),
		(s.change-s.least)/2/statistics.NormalQuantile(1-s.Judge.Alpha/2))
	return 2 * (change - half) * half / (deviation * deviation)
}

// worsening returns the change of a row as a logarithm, positive for worse, and the ends of its
// interval.
func worsening(row *verdict.Row) (change, low, high float64) {
	change, low, high = math.Log(float64(row.Ratio)), math.Log(float64(row.Lo)),
		math.Log(float64(row.Hi))
	if row.Better == verdict.HigherIsBetter {
		return -change, -high, -low
	}
	return change, low, high
}
