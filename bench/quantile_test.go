package bench

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestResolvable(t *testing.T) {
	// The least n with pⁿ ≤ 0.025.
	for _, c := range []struct {
		p     float64
		least int
	}{{0.5, 6}, {0.9, 36}, {0.99, 368}, {0.999, 3688}} {
		if resolvable(c.p, c.least-1) || !resolvable(c.p, c.least) {
			t.Errorf("p%v: want resolvable from n = %d on", 100*c.p, c.least)
		}
	}
	if resolvable(0.5, 0) {
		t.Error("nothing resolves nothing")
	}
}

// TestNearestRank: the p-quantile is the least value that at least p of the values do not exceed.
func TestNearestRank(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(i + 1)
	}
	for p, want := range map[float64]int64{0.5: 50, 0.9: 90, 0.99: 99, 0.999: 100, 1: 100} {
		if got := nearestRank(hundred, p); got != want {
			t.Errorf("p%v of 1…100 = %d, want %d", 100*p, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		permille := rapid.IntRange(1, 1000).Draw(t, "permille")
		r := rand.New(rand.NewPCG(1, uint64(n)))
		values := make([]int64, n)
		for i := range values {
			values[i] = r.Int64N(100)
		}
		slices.Sort(values)
		got := nearestRank(values, float64(permille)/1000)
		below, upTo := 0, 0
		for _, v := range values {
			if v < got {
				below++
			}
			if v <= got {
				upTo++
			}
		}
		// In integers: upTo ≥ pn > below.
		if 1000*upTo < permille*n || 1000*below >= permille*n {
			t.Fatalf("p%v of %d values is %d: %d are below it and %d not above it", float64(permille)/10, n, got, below, upTo)
		}
	})
}
