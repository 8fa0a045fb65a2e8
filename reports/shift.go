package reports

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/judge"
)

// shift is an estimate of by what factor one sample is larger than another.
type shift struct {
	Ratio  float64 // Hodges–Lehmann: the median of the ratios of all pairs; +Inf from a base of 0
	Lo, Hi float64 // interval for it; 0 and +Inf where the samples are too small to bound it
}

// estimateShift estimates the factor between x and y, non-negative both, with an interval of at least the given
// confidence.
//
// On logarithms this is the Hodges–Lehmann estimate of a shift, and the interval that goes with the rank test: it runs
// from the (c+1)-th smallest to the (c+1)-th largest of the nx·ny ratios y/x, c being the largest value of U that is no
// likelier than half of the error allowed (Lehmann 1963; Hollander and Wolfe, section 4.3). Taking order statistics of
// the ratios themselves gives the same and lets zeros take part: 0/0 is 1, any other number over 0 is infinite. With
// ties the closed interval has at least its confidence.
func estimateShift(x, y []float64, confidence float64) shift {
	ratios := make([]float64, 0, len(x)*len(y))
	for _, a := range x {
		for _, b := range y {
			ratios = append(ratios, ratio(a, b))
		}
	}
	slices.Sort(ratios)
	n := len(ratios)
	s := shift{Ratio: ratios[n/2], Lo: 0, Hi: math.Inf(1)}
	if below := ratios[n/2-(n+1)%2]; below != s.Ratio {
		// The geometric mean of the middle two: the mean of their logarithms. Neither factor overflows on its own.
		s.Ratio = math.Sqrt(below) * math.Sqrt(s.Ratio)
	}
	if c := criticalU(len(x), len(y), (1-confidence)/2); c >= 0 {
		s.Lo, s.Hi = ratios[c], ratios[n-1-c]
	}
	return s
}

// criticalU is the largest c with P(U ≤ c) ≤ tail for samples without ties; −1 if there is none.
func criticalU(nx, ny int, tail float64) int {
	if nx+ny > uExactLimit {
		mean := float64(nx) * float64(ny) / 2
		sd := math.Sqrt(mean * float64(nx+ny+1) / 6)
		return max(-1, int(math.Floor(mean+judge.NormalQuantile(tail)*sd-0.5)))
	}
	ranks := make([]int, nx+ny)
	for i := range ranks {
		ranks[i] = i + 1
	}
	counts, _, _ := subsetSums(ranks, min(nx, ny))
	var total, sum float64
	for _, c := range counts {
		total += c
	}
	for u, c := range counts {
		if sum += c; sum > tail*total {
			return u - 1
		}
	}
	panic("reports: the tail of U is all of it")
}

// smallestP is the smallest p that the one-sided rank test can give: that of the one deal out of C(nx+ny, nx) in which
// the samples do not overlap.
func smallestP(nx, ny int) float64 {
	lg := func(n int) float64 {
		v, _ := math.Lgamma(float64(n + 1))
		return v
	}
	return math.Exp(lg(nx) + lg(ny) - lg(nx+ny))
}
