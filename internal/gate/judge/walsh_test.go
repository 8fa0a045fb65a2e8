package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Hollander and Wolfe, example 3.1: estimate −0.46, 96 % interval −0.786 to −0.010, and P(W ≥ 40) =
// 0.0195 for the negated differences.
func TestHodgesLehmannExample(t *testing.T) {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	changes := make([]float64, len(before))
	for i := range before {
		changes[i] = after[i] - before[i]
	}
	center, low, high := hodgesLehmann(changes, 0.95)
	if math.Abs(center+0.46) > 1e-9 || math.Abs(low+0.786) > 1e-9 || math.Abs(high+0.010) > 1e-9 {
		t.Errorf("%v from %v to %v", center, low, high)
	}
	if r := newSignedRank(changes); r.W != 5 || math.Abs(r.Less-10.0/512) > 1e-12 {
		t.Errorf("%+v", r)
	}
}

func TestIntervalInvertsTheTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes := rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(-999, 999),
			func(i int) float64 { return float64(i) / 1000 }), 1, 14,
			rapid.ID[float64]).Draw(t, "changes") // ties would widen the interval
		n := len(changes)
		confidence := rapid.SampledFrom([]float64{0.5, 0.9, 0.95, 0.99}).Draw(t, "confidence")
		center, low, high := hodgesLehmann(changes, confidence)
		if center < low || center > high {
			t.Fatalf("%v is not between %v and %v", center, low, high)
		}
		if n < MinPairs((1-confidence)/2) != math.IsInf(high, 1) ||
			math.IsInf(low, -1) != math.IsInf(high, 1) {
			t.Fatalf("%d changes: from %v to %v", n, low, high)
		}
		averages := walsh(changes)
		for i := 1; i < len(averages); i++ {
			at := averages[i-1]/2 + averages[i]/2
			if averages[i]-averages[i-1] < 1e-9 {
				continue
			}
			test := newSignedRank(minus(changes, at))
			significant := min(test.Less, test.Greater) <= (1-confidence)/2+1e-12
			if inside := low < at && at < high; inside == significant {
				t.Fatalf("%v with p %v and %v; interval from %v to %v", at, test.Less,
					test.Greater, low, high)
			}
		}
	})
}

func TestHodgesLehmannOfInfinities(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		changes           []float64
		center, low, high float64
	}{
		{[]float64{inf, -inf}, 0, -inf, inf},
		{[]float64{inf, inf, inf, inf, inf, inf}, inf, inf, inf},
		{[]float64{0, 0, 0, 0, 0, inf}, 0, 0, inf},
		{[]float64{3}, 3, -inf, inf},
	} {
		center, low, high := hodgesLehmann(test.changes, 0.95)
		if center != test.center || low != test.low || high != test.high {
			t.Errorf("%v: %v from %v to %v", test.changes, center, low, high)
		}
	}
}

// Over 20000 samples of 6, the standard error is 0.3 %. The published factors are rounded to 1 %.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for i, n := range []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20} {
		if testing.Short() && i%5 != 0 {
			continue
		}
		var sum float64
		const samples = 20000
		for range samples {
			changes := make([]float64, n)
			for i := range changes {
				changes[i] = rng.NormFloat64()
			}
			sum += Spread(changes)
		}
		if got := sum / samples; math.Abs(got-1) > 0.02 {
			t.Errorf("n = %d: %v in the mean", n, got)
		}
	}
	calm := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	wild := slices.Clone(calm)
	wild[3] = 1e6
	if Spread(wild) > 2*Spread(calm) {
		t.Errorf("one wild change makes %v of %v", Spread(wild), Spread(calm))
	}
	if Spread([]float64{2, 2, 2, 2, 2, 2}) != 0 || !math.IsNaN(Spread([]float64{1})) ||
		!math.IsNaN(Spread([]float64{math.Inf(1), 1})) {
		t.Error("no spread is 0, one finite change has none")
	}
	if got := Spread([]float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 10}); math.Abs(got-math.Sqrt(10)) > 1e-9 {
		t.Errorf("mostly equal: %v", got)
	}
}
