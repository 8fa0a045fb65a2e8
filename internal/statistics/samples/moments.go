package samples

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// What is here is gonum's stat and distuv to the digit. Those import mat, whose init puts matrices
// into interfaces; and a program with templates keeps all methods of what is in one: here LAPACK
// and BLAS, 2 MB.

// Mean is the arithmetic mean, 0/0 of nothing.
func Mean(values []float64) float64 { return floats.Sum(values) / float64(len(values)) }

// MeanVariance is the mean with the unbiased variance, in two passes and corrected (Chan, Golub and
// LeVeque 1983).
func MeanVariance(values []float64) (mean, variance float64) {
	mean = Mean(values)
	var squares, off float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
		off += v - mean
	}
	n := float64(len(values))
	return mean, (squares - off*off/n) / (n - 1)
}

// Deviation is the standard deviation.
func Deviation(values []float64) float64 {
	_, variance := MeanVariance(values)
	return math.Sqrt(variance)
}

// T is Student's distribution, of so many degrees of freedom.
type T float64

// Beyond is what is exceeded with that probability, of 0.5 at most.
func (nu T) Beyond(tail float64) float64 {
	t := mathext.InvRegIncBeta(float64(nu)/2, 0.5, 2*tail)
	return math.Sqrt(float64(nu) * (1 - t) / t)
}

// Survival is the probability of more than x.
func (nu T) Survival(x float64) float64 {
	beyond := 0.5 * mathext.RegIncBeta(float64(nu)/2, 0.5, float64(nu)/(x*x+float64(nu)))
	if x < 0 {
		return 1 - beyond
	}
	return beyond
}
