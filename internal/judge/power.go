package judge

import (
	"math"
	"slices"
)

// pairsToFind is the number of pairs that finds a worsening of the promise with 80 % power, in a family of that many tests, when the
// changes have the given standard deviation: ((z(1−α/m) + z(0.8))·sd / (log(1+e) − log(1+δ)))². It is NaN where the deviation is not known.
func (o Options) pairsToFind(sd float64, tests int) float64 {
	z := NormalQuantile(1-o.Alpha/float64(tests)) + NormalQuantile(power)
	return math.Ceil(math.Pow(z*sd/(o.promise()-o.margin()), 2))
}

// freshPairs is the number of them for each of so many suspects: never so few that nothing could be significant.
func (o Options) freshPairs(suspects int) int { return max(o.FreshPairs, MinPairs(o.Needed(suspects))) }

// detectable is the worsening that both stages together find with 80 % power, when the changes have the given standard deviation and
// are about normal: the product of the chances to be suspected, by the screened pairs, and then to be found worse, by the
// fresh ones. That a metric may be suspect for its scatter alone is left out: somewhat more is found.
func (o Options) detectable(sd float64, screened, fresh, tests int) float64 {
	if math.IsNaN(sd) {
		return sd
	}
	suspicion, significance := attainable(screened, o.SuspectAt), attainable(fresh, o.Alpha/float64(tests))
	if suspicion == 0 || significance == 0 {
		return math.NaN()
	}
	found := func(beyond float64) float64 { // in standard deviations of a single pair
		suspected := NormalCDF(beyond*math.Sqrt(float64(screened)) + NormalQuantile(suspicion))
		return suspected * NormalCDF(beyond*math.Sqrt(float64(fresh))+NormalQuantile(significance))
	}
	low, high := 0.0, 100.0
	for range 60 {
		if middle := (low + high) / 2; found(middle) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return o.margin() + high*sd*rankLoss
}

// attainable is the largest p of the signed-rank test of n changes without ties that is not above alpha; 0 where there is none.
func attainable(n int, alpha float64) float64 {
	if n > signedRankLimit {
		return alpha
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	var sum float64
	for _, p := range signSums(ranks) {
		if sum+p > alpha*(1+roundoff) {
			break
		}
		sum += p
	}
	return sum
}

// medians of both arms.
func medians(pairs []Pair) (base, head float64) {
	var bases, heads []float64
	for _, p := range pairs {
		bases, heads = append(bases, p.Base), append(heads, p.Head)
	}
	return median(bases), median(heads)
}

func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return values[(n-1)/2]/2 + values[n/2]/2
}
