// Package statistics computes medians, quantiles, ranks and paired differences of samples. For
// moments and distributions use gonum's stat and distuv.
package statistics

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// values must not be empty. The mean of two middle values does not overflow.
func Median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return v[(len(v)-1)/2]/2 + v[len(v)/2]/2
}

// Ratio returns now/base. Equal numbers, including 0 and 0, have the ratio 1.
func Ratio(base, now float64) float64 {
	if base == now {
		return 1
	}
	return now / base
}

// Student returns the two-sided quantile of Student's t distribution for the mean of n values. It
// is cached, because computing it takes about 20 µs.
func Student(n int, alpha float64) float64 {
	key := studentKey{n, alpha}
	if t, known := students.Load(key); known {
		return t.(float64)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - alpha/2)
	students.Store(key, t)
	return t
}

type studentKey struct {
	n     int
	alpha float64
}

var students sync.Map
