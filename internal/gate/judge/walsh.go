package judge

import (
	"math"
	"slices"
)

// hodgesLehmann estimates the middle of changes, with an interval of at least the given confidence
// for it. There must be one.
//
// The estimate is the median of the Walsh averages, the means of any two of the changes and of each
// with itself. The interval goes with the signed-rank test: it runs from the (c+1)-th smallest
// average to the (c+1)-th largest, c being the largest value of the statistic that is no likelier
// than half of the error allowed (Tukey 1949; Hollander and Wolfe, section 3.3). With fewer changes
// than bound it, it is infinite on both sides. Two infinite changes of opposite signs have the mean
// 0. It takes n² log n steps.
func hodgesLehmann(changes []float64, confidence float64) (center, low, high float64) {
	averages := walsh(changes)
	n := len(averages)
	center = mean(averages[(n-1)/2], averages[n/2])
	low, high = math.Inf(-1), math.Inf(1)
	if c := criticalSignedRank(len(changes), (1-confidence)/2); c >= 0 {
		low, high = averages[c], averages[n-1-c]
	}
	return center, low, high
}

// walsh gives the averages in ascending order.
func walsh(changes []float64) []float64 {
	averages := make([]float64, 0, len(changes)*(len(changes)+1)/2)
	for i, a := range changes {
		for _, b := range changes[:i+1] {
			averages = append(averages, mean(a, b))
		}
	}
	slices.Sort(averages)
	return averages
}

func mean(a, b float64) float64 {
	if math.IsInf(a, 0) && a == -b {
		return 0
	}
	return a/2 + b/2
}

// criticalSignedRank is the largest c with P(W ≤ c) ≤ tail for n changes without ties; −1 if there
// is none.
func criticalSignedRank(n int, tail float64) int {
	if n > signedRankLimit {
		m := float64(n) * float64(n+1) / 4
		sd := math.Sqrt(m * float64(2*n+1) / 6)
		return max(-1, int(math.Floor(m+normalQuantile(tail)*sd-0.5)))
	}
	var sum float64
	for w, p := range ranksSums(n) {
		if sum += p; sum > tail*(1+roundoff) {
			return w - 1
		}
	}
	panic("judge: the tail of the signed-rank statistic is all of it")
}
