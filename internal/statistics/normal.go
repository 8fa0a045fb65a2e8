package statistics

import "math"

func NormalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }
