package statistics

import "math"

// NormalQuantile returns the quantile of the standard normal distribution for a p between 0 and 1.
func NormalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }
