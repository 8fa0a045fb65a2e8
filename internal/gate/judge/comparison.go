package judge

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/poolbench/poolbench/internal/statistics"
)

// comparison tests how much larger a sample y is than a sample x.
//
// For unequal spreads the rank test does not compare medians: with 30 values of 2 % spread against
// 8 of 10 % it finds a difference of equal medians in 8 % of cases at a level of 1 %. So a second
// test must agree: the rank test with a wider distribution of U (widening), or Welch's t test of
// the logarithms. The first has more power with outliers, the second with very few values.
//
// In 100 gates of 20 tests with these spreads, the false alarms were: rank test 41, Brunner and
// Munzel (2000) 12, Welch and rank test 5, this test 7. Welch and rank test lose up to 12
// percentage points of power for equal spreads, and up to 28 with outliers.
type comparison struct {
	x, y        []float64
	plain, wide widening // equal if the spreads do not differ
	means       welch
}

func (s RankSums) compare(x, y []float64) comparison {
	plain := s.plain(len(x), len(y))
	c := comparison{x: x, y: y, plain: plain, wide: plain}
	if min(len(x), len(y)) > 1 {
		step := stepOf(x, y, 1)
		if c.wide = widen(plain.rankSumCounts, x, y, step); c.unequal() {
			c.means = newWelch(x, y, step)
		}
	}
	return c
}

func (c comparison) unequal() bool { return c.wide.factor > 1 }

func (c comparison) at(factor float64) RankSum {
	x := floats.ScaleTo(make([]float64, len(c.x)), factor, c.x)
	t := c.plain.rankSum(x, c.y)
	if c.unequal() {
		wide := c.wide.rankSum(x, c.y)
		less, greater := c.means.at(factor)
		t.Less, t.Greater = max(t.Less, min(wide.Less, less)),
			max(t.Greater, min(wide.Greater, greater))
	}
	return t
}

type shift struct {
	// Hodges–Lehmann estimate: the median of the ratios of all pairs; +Inf for a base of 0
	Ratio  float64
	Lo, Hi float64 // interval of Ratio; 0 and +Inf if the samples are too small
}

// shift estimates the factor between the non-negative samples x and y, with the interval of factors
// that the test does not reject.
//
// The interval of the rank test extends from the (c+1)-th smallest to the (c+1)-th largest of the
// nx·ny ratios y/x, where c is the largest U with a tail probability of at most half of the allowed
// error (Lehmann 1963; Hollander and Wolfe, section 4.3). Ratios instead of logarithms allow zeros:
// 0/0 is 1, and any other number over 0 is infinite.
func (c comparison) shift(confidence float64) shift {
	ratios := make([]float64, 0, len(c.x)*len(c.y))
	for _, a := range c.x {
		for _, b := range c.y {
			if a == b {
				ratios = append(ratios, 1)
			} else {
				ratios = append(ratios, b/a)
			}
		}
	}
	slices.Sort(ratios)
	n, tail := len(ratios), (1-confidence)/2
	s := shift{Ratio: ratios[n/2]}
	if below := ratios[n/2-(n+1)%2]; below != s.Ratio {
		s.Ratio = math.Sqrt(below) * math.Sqrt(s.Ratio)
	}
	s.Lo, s.Hi = c.plain.between(ratios, tail)
	if c.unequal() {
		wideLo, wideHi := c.wide.between(ratios, tail)
		lo, hi := c.means.between(tail)
		s.Lo, s.Hi = max(wideLo, min(s.Lo, lo)), min(wideHi, max(s.Hi, hi))
	}
	return s
}

func (w widening) between(ratios []float64, tail float64) (low, high float64) {
	if c := w.criticalU(tail); c >= 0 {
		return ratios[c], ratios[len(ratios)-1-c]
	}
	return 0, math.Inf(1)
}

func (w widening) criticalU(tail float64) int {
	if w.minP() > tail {
		return -1
	}
	mean := float64(w.nx*w.ny) / 2
	if w.nx+w.ny > rankSumLimit {
		sd := w.factor * math.Sqrt(mean*float64(w.nx+w.ny+1)/6)
		return max(-1, int(math.Floor(mean+statistics.NormalQuantile(tail)*sd-0.5)))
	}
	return sort.Search(w.nx*w.ny/2, func(u int) bool {
		less, _ := tails(w.distribution(), mean+(float64(u)-mean)/w.factor)
		return less > tail*(1+roundoff)
	}) - 1
}

func smallestP(nx, ny int) float64 {
	lg := func(n int) float64 {
		v, _ := math.Lgamma(float64(n + 1))
		return v
	}
	return math.Exp(lg(nx) + lg(ny) - lg(nx+ny))
}
