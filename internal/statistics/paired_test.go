package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPaired(t *testing.T) {
	near := func(a, b float64) bool {
		return math.Abs(a-b) < 1e-6 || math.IsNaN(a) && math.IsNaN(b)
	}
	nan := math.NaN()
	powers := func(n int) (first, second []float64) {
		for i := range n {
			first = append(first, math.Exp2(float64(i)))
			second = append(second, math.Exp2(float64(i+1)))
		}
		return first, second
	}
	ones, twos := powers(3)
	four, double := powers(4)
	for name, c := range map[string]struct {
		first, second []float64
		exact         bool
		want          Paired
	}{
		"equal": {ones, ones, false, Paired{3, true, true, 1, 1, 1, 1}},
		"nothing at all": {[]float64{0, 0}, []float64{0, 0}, false,
			Paired{2, true, false, 0, 0, 0, 1}},
		"one pair": {[]float64{2}, []float64{3}, true,
			Paired{1, false, true, 1.5, nan, nan, nan}},
		"one equal pair":  {ones[:1], ones[:1], true, Paired{1, true, true, 1, 1, 1, 1}},
		"the same factor": {ones, twos, true, Paired{3, false, true, 2, 2, 2, 0}},
		"which may be rounding": {four, double, false, Paired{4, false, true, 2, 2, 2,
			2.0 / 70}},
		"three": {[]float64{1, 1, 1}, []float64{math.Exp(0.1), math.Exp(0.2), math.Exp(0.3)},
			false, Paired{3, false, true, math.Exp(0.2),
				math.Exp(0.2 - 0.2484138), math.Exp(0.2 + 0.2484138), 0.0741799}},
		"from 0": {[]float64{0, 0, 0}, []float64{1, 2, 3}, false,
			Paired{3, false, false, 2, 2 - 2.484138, 2 + 2.484138, 0.0741799}},
	} {
		got := OfPairs(c.first, c.second, 0.95, true, c.exact)
		if got.N != c.want.N || got.Equal != c.want.Equal || got.Ratios != c.want.Ratios ||
			!near(got.Mid, c.want.Mid) ||
			!near(got.Lo, c.want.Lo) || !near(got.Hi, c.want.Hi) || !near(got.P, c.want.P) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// If pairs differ only by noise, 5 % may be significant. In the others the interval must contain
// the true ratio.
func TestPairedSize(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const rounds = 4000
	for _, n := range []int{2, 5, 12} {
		alarms, held := 0, 0
		for range rounds {
			var first, second []float64
			for range n {
				work := math.Exp(random.NormFloat64())
				first = append(first, work*math.Exp(0.1*random.NormFloat64()))
				second = append(second, work*math.Exp(0.1*random.NormFloat64()))
			}
			p := OfPairs(first, second, 0.95, true, false)
			if p.P <= 0.05 {
				alarms++
			}
			if p.Lo <= 1 && p.Hi >= 1 {
				held++
			}
		}
		if alarms < 150 || alarms > 250 || held != rounds-alarms {
			t.Errorf("%d pairs: %d alarms in %d, the interval held %d times", n, alarms, rounds,
				held)
		}
	}
}
