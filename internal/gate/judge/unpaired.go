package judge

import (
	"math"

	"github.com/poolbench/poolbench/reports/gate/verdict"
)

// weighRanks makes evidence of values that come in no pairs: of the head's against the base's,
// moved by the margin. See comparison for the test.
func (o Options) weighRanks(m Metric, base, head []float64, ranks RankSums) Evidence {
	r := o.roundingOf(m, base, head)
	threshold := math.Exp(r.over(o.margin()))
	c := ranks.compare(base, head)
	to := c.shift(1 - o.Alpha)
	e := Evidence{
		Test:   verdict.ByRank,
		Change: math.Log(to.Ratio), Low: math.Log(to.Lo), High: math.Log(to.Hi),
		PWorse:  c.at(threshold).Greater,
		PBetter: c.at(1 / threshold).Less,
		LeastP:  o.leastUnpairedP(len(base), len(head)),
		SE:      math.NaN(),
	}
	if m.Better == HigherIsBetter {
		e.Change, e.Low, e.High = -e.Change, -e.High, -e.Low
		e.PWorse, e.PBetter = e.PBetter, e.PWorse
	}
	if to.Lo > 0 && !math.IsInf(to.Hi, 1) {
		e.SE = (e.High - e.Low) / 2 / normalQuantile(1-o.Alpha/2)
	}
	e.round(r)
	return e
}

// leastUnpairedP is the smallest p that the test of samples of those sizes can give, and 1 where
// one has fewer values than a verdict takes of each: by their number alone one run against 39 would
// do, but a single process says nothing of how much processes differ.
func (o Options) leastUnpairedP(base, head int) float64 {
	if min(base, head) < SamplesFor(o.Needed(1)) {
		return 1
	}
	return smallestP(base, head)
}
