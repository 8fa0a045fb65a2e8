package theory

import (
	"math"
	"slices"
)

// pmf[i] is the probability of first + i. Omitted probabilities are below 1e−290 of the largest.
// Terms relative to the mode lose no digits, unlike exp(n·ln y − y − lgamma(n+1)).
func poisson(mean float64) (first int, pmf []float64) {
	const least = 1e-290
	mode := math.Floor(mean)
	below := []float64{}
	for n, w := mode, 1.0; n > 0; n-- {
		w *= n / mean
		if w < least {
			break
		}
		below = append(below, w)
	}
	first = int(mode) - len(below)
	slices.Reverse(below)
	pmf = append(make([]float64, 0, 2*len(below)+64), below...)
	for n, w := mode, 1.0; w >= least; n++ {
		pmf = append(pmf, w)
		w *= mean / (n + 1)
	}
	low, high := 0.0, 0.0
	for _, w := range pmf[:len(below)] {
		low += w
	}
	for i := len(pmf) - 1; i >= len(below); i-- {
		high += pmf[i]
	}
	for i := range pmf {
		pmf[i] /= low + high
	}
	return first, pmf
}
