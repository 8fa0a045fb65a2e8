package registry

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Rare must be independent of other random numbers from PCG(seed, seq). The tolerances are five
// standard errors.
func TestCoin(t *testing.T) {
	const n = 100_000
	for _, p := range []float64{0, 0.05, 0.5, 1} {
		var rare, covariance float64
		for seq := range uint64(n) {
			x := 0.0
			if (Coin{7, p}).Rare(seq) {
				x = 1
			}
			rare += x / n
			covariance += (x - p) * (rand.New(rand.NewPCG(7, seq)).Float64() - 0.5) / n
		}
		if se := math.Sqrt(p * (1 - p) / n); math.Abs(rare-p) > 5*se+1e-9 {
			t.Errorf("p=%v: %v of the tasks are rare", p, rare)
		}
		if se := math.Sqrt(p * (1 - p) / 12 / n); math.Abs(covariance) > 5*se+1e-9 {
			t.Errorf("p=%v: covariance %v with the waits", p, covariance)
		}
	}
	if n := testing.AllocsPerRun(100, func() { (Coin{7, 0.5}).Rare(3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestCoinMoments(t *testing.T) {
	for _, c := range []struct {
		p           float64
		usual, rare time.Duration
		mean        time.Duration
		c2          float64
	}{
		{0.5, 1, 3, 2, 0.25},
		{0.5, 3, 1, 2, 0.25},
		{0.1, 1e9, 11e9, 2e9, 2.25},
		{0, 5, 9, 5, 0},
		{1, 5, 9, 9, 0},
	} {
		if mean, c2 := (Coin{0, c.p}).Moments(c.usual, c.rare); mean != c.mean ||
			math.Abs(c2-c.c2) > 1e-12 {
			t.Errorf("%+v: %v, %v", c, mean, c2)
		}
	}
}
