package statistics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Paired says how the second values of pairs differ from the first. A pair is two runs of one work,
// so that what the work adds to both cancels out.
//
// The test is Student's, of the logarithms of the ratios, which a change multiplies alike whatever
// the seed makes of the value, or of the differences. The signed-rank test would assume less, and
// cannot be significant at 5 % below six pairs. Of five repetitions of queues of five laws at loads
// from 0.3 to 0.95 with a service that is 1 % longer, this finds the mean response in 99 of 100 at
// least.
type Paired struct {
	N      int
	Equal  bool // in every pair
	Ratios bool // Mid is second to first, the geometric mean; else it is the mean difference
	// with the ends of its interval, NaN for one pair that differs
	Mid, Lo, Hi float64
	P           float64 // two-sided; NaN for one pair that differs, 1 for pairs that are equal
}

// OfPairs tests pairs of which there is one at least: their ratios, where these are wanted and all
// values above 0, or their differences. exact says that no chance but that of the
// seeds is in the values, as under the virtual clock: then differences that are all the same are
// as sure as can be. Elsewhere they may be those of rounding, and as many values that do not
// overlap, without pairs, bound what they tell.
func OfPairs(first, second []float64, confidence float64, ratios, exact bool) Paired {
	p := Paired{N: len(first), Equal: slices.Equal(first, second), P: 1,
		Ratios: ratios && min(slices.Min(first), slices.Min(second)) > 0}
	apart := make([]float64, p.N)
	for i, v := range first {
		if apart[i] = second[i] - v; p.Ratios {
			apart[i] = math.Log(second[i] / v)
		}
	}
	mean := stat.Mean(apart, nil)
	scale := func(v float64) float64 { return v }
	if p.Ratios {
		scale = math.Exp
	}
	p.Mid, p.Lo, p.Hi = scale(mean), scale(mean), scale(mean)
	if p.Equal {
		return p
	}
	if p.N < 2 {
		p.Lo, p.Hi, p.P = math.NaN(), math.NaN(), math.NaN()
		return p
	}
	student := distuv.StudentsT{Sigma: 1, Nu: float64(p.N - 1)}
	deviation := stat.StdDev(apart, nil)
	stdErr := deviation / math.Sqrt(float64(p.N))
	half := student.Quantile((1+confidence)/2) * stdErr
	p.Lo, p.Hi = scale(mean-half), scale(mean+half)
	switch {
	case deviation > sameTo*math.Abs(mean):
		p.P = 2 * student.Survival(math.Abs(mean)/stdErr)
	case exact:
		p.P = 0
	default:
		p.P = fewest(p.N)
	}
	return p
}

// sameTo is the share of their mean to which differences are the same: what arithmetic leaves.
const sameTo = 1e-12

// fewest is the smallest two-sided p of the rank test of n values against n: 2/C(2n, n).
func fewest(n int) float64 {
	p := 2.0
	for i := 1; i <= n; i++ {
		p *= float64(i) / float64(n+i)
	}
	return p
}
