package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/poolbench/poolbench/internal/statistics"
)

// Two-sided critical values of U at 5 % from a textbook (Siegel, table K).
func TestCriticalU(t *testing.T) {
	for n, want := range map[int]int{3: -1, 4: 0, 5: 2, 6: 5, 7: 8, 8: 13, 9: 17, 10: 23, 12: 37,
		15: 64, 20: 127} {
		if got := plain(n, n).criticalU(0.025); got != want {
			t.Errorf("n = %d: %d, want %d", n, got, want)
		}
	}
	if got := plain(8, 15).criticalU(0.025); got != 29 {
		t.Errorf("8 and 15: %d, want 29", got)
	}
	// the normal approximation must be conservative
	for n := 40; n <= rankSumLimit/2; n += 5 {
		exact := plain(n, n).criticalU(0.025)
		mean, sd := float64(n*n)/2, math.Sqrt(float64(n*n)*float64(2*n+1)/12)
		approx := int(math.Floor(mean + statistics.NormalQuantile(0.025)*sd - 0.5))
		if approx > exact || approx < exact-1 {
			t.Errorf("n = %d: exact %d, approximate %d", n, exact, approx)
		}
	}
	if got := plain(rankSumLimit, rankSumLimit).criticalU(1e-300); got != -1 {
		t.Errorf("a tail out of reach: %d", got)
	}
}

func TestSmallestPAndSamplesFor(t *testing.T) {
	if got := smallestP(3, 3); math.Abs(got-1.0/20) > 1e-12 {
		t.Errorf("3 and 3: %v", got)
	}
	if got := smallestP(2, 4); math.Abs(got-1.0/15) > 1e-12 {
		t.Errorf("2 and 4: %v", got)
	}
	for alpha, want := range map[float64]int{0.5: 1, 0.05: 3, 0.025: 4, 0.05 / 20: 6,
		0.05 / 50: 7, 0.05 / 200: 8} {
		got := SamplesFor(alpha)
		if got != want {
			t.Errorf("alpha %v: %d, want %d", alpha, got, want)
		}
		if smallestP(got, got) > alpha*(1+1e-9) || got > 1 && smallestP(got-1, got-1) <= alpha {
			t.Errorf("alpha %v: smallestP does not agree with %d", alpha, got)
		}
	}
}

func plain(nx, ny int) widening { return RankSums{}.plain(nx, ny) }

func plainly(x, y []float64) comparison {
	w := plain(len(x), len(y))
	return comparison{x: x, y: y, plain: w, wide: w}
}

func TestShift(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		x, y []float64
		want shift
	}{
		{[]float64{1}, []float64{2}, shift{2, 0, inf}},
		{[]float64{1, 4}, []float64{2, 2}, shift{1, 0, inf}},
		{[]float64{1, 2, 4, 8}, []float64{2, 4, 8, 16}, shift{2, 0.25, 16}},
		{[]float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}, shift{1, 1, 1}},
		{[]float64{0, 0, 0, 0}, []float64{0, 0, 0, 0}, shift{1, 1, 1}},
		{[]float64{0, 0, 0, 0}, []float64{1, 2, 3, 4}, shift{inf, inf, inf}},
		{[]float64{1, 2, 3, 4}, []float64{0, 0, 0, 0}, shift{0, 0, 0}},
		{[]float64{0, 0, 5, 5}, []float64{0, 0, 5, 5}, shift{1, 0, inf}},
		{[]float64{1e-300, 1e-300}, []float64{1e300, 1e-300}, shift{inf, 0, inf}},
		{[]float64{1e-200, 1e-200}, []float64{1e100, 1e-180},
			shift{math.Sqrt(1e300) * math.Sqrt(1e20), 0, inf}},
	} {
		got := plainly(test.x, test.y).shift(0.95)
		if math.Abs(got.Ratio/test.want.Ratio-1) > 1e-12 || got.Lo != test.want.Lo ||
			got.Hi != test.want.Hi {
			if got != test.want {
				t.Errorf("from %v to %v: %+v, want %+v", test.x, test.y, got, test.want)
			}
		}
	}
}

// The interval must contain exactly the factors that the test does not reject.
func TestShiftIsDualToTheTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	inside, outside, unequal := 0, 0, 0
	for i := range 1000 {
		x, y := make([]float64, 4+rng.IntN(10)), make([]float64, 4+rng.IntN(10))
		spread := []float64{0.1, 0.02, 0.5}[i%3]
		for i := range x {
			x[i] = math.Exp(0.1 * rng.NormFloat64())
		}
		for i := range y {
			y[i] = math.Exp(spread*rng.NormFloat64() + 0.1)
		}
		factor := math.Exp(0.2 * rng.NormFloat64())
		c := RankSums{}.compare(x, y)
		s, u := c.shift(0.95), c.at(factor)
		rejected := min(u.Less, u.Greater) <= 0.025
		if out := factor < s.Lo || factor > s.Hi; out != rejected {
			t.Fatalf("factor %v, interval %v to %v, but p = %v and %v", factor, s.Lo, s.Hi,
				u.Less, u.Greater)
		} else if out {
			outside++
		} else {
			inside++
		}
		if c.unequal() {
			unequal++
		}
	}
	if inside < 200 || outside < 200 || unequal < 400 || unequal > 800 {
		t.Errorf("%d inside, %d outside, %d with unequal spreads: the test says little", inside,
			outside, unequal)
	}
}

func TestShiftTurnsAround(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for range 100 {
		x, y := make([]float64, 1+rng.IntN(12)), make([]float64, 1+rng.IntN(12))
		for i := range x {
			x[i] = float64(rng.IntN(4))
		}
		for i := range y {
			y[i] = float64(rng.IntN(4))
		}
		a, b := plainly(x, y).shift(0.9), plainly(y, x).shift(0.9)
		for _, pair := range [][2]float64{{a.Ratio, b.Ratio}, {a.Lo, b.Hi}, {a.Hi, b.Lo}} {
			if diff := pair[0] - 1/pair[1]; pair[0] != 1/pair[1] && !(math.Abs(diff) < 1e-12) {
				t.Fatalf("from %v to %v: %+v, and back %+v", x, y, a, b)
			}
		}
		if !(a.Lo <= a.Ratio && a.Ratio <= a.Hi) {
			t.Fatalf("from %v to %v: %+v", x, y, a)
		}
	}
}
