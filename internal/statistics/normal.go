package statistics

import "math"

// NormalQuantile returns the p-quantile of the standard normal distribution, for 0 < p < 1.
func NormalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }
