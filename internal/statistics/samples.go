// Package statistics computes medians, quantiles, ranks and paired differences of samples. For
// moments and distributions use gonum's stat and distuv.
package statistics

import (
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

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

// Student returns the two-sided quantile of Student's t distribution for the mean of n values, at
// significance alpha. It takes a microsecond.
func Student(n int, alpha float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - alpha/2)
}
