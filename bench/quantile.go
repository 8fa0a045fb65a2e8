package bench

import "math"

// resolvable reports whether n values can tell the quantile p: whether the upper end of its 95 % interval by order statistics
// exists, pⁿ ≤ 0.025. That takes 6 values for a median, 368 for a p99 and 3688 for a p99.9.
func resolvable(p float64, n int) bool {
	return n > 0 && float64(n)*math.Log(p) <= math.Log(0.025)
}

// nearestRank returns the p-quantile of sorted values: the ⌈pn⌉-th smallest.
func nearestRank(sorted []int64, p float64) int64 {
	return sorted[rank(len(sorted), p)-1]
}

// rank is ⌈pn⌉, at least 1. The product is rounded up only when it exceeds an integer by more than the error of p's own
// binary form: 0.99 × 100 is 99, not 100.
func rank(n int, p float64) int {
	exact := p * float64(n)
	r := math.Round(exact)
	if math.Abs(exact-r) > 1e-9*exact {
		r = math.Ceil(exact)
	}
	return max(int(r), 1)
}
