// Package samples has what several packages ask of a few numbers, or of many: medians, quantiles.
package samples

import "slices"

// Median is the middle value, or the mean of the two in the middle. There is at least one value;
// their order does not matter, and stays. Halves are added, so that nothing overflows.
func Median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return v[(len(v)-1)/2]/2 + v[len(v)/2]/2
}

// Ratio is that of now to base; equal numbers, 0 and 0 too, have the ratio 1, and a base of 0 that
// changed an infinite one.
func Ratio(base, now float64) float64 {
	if base == now {
		return 1
	}
	return now / base
}

// Student is the quantile of Student's t for the mean of n values: the share alpha lies beyond it,
// on both sides together. It takes a microsecond.
func Student(n int, alpha float64) float64 {
	return T(n - 1).Beyond(1 - (1 - alpha/2))
}
