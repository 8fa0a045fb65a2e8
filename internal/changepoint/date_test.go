package changepoint

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDateNearAnEnd(t *testing.T) {
	o := Default()
	o.Alpha = 0.05
	for _, n := range []int{12, 40, 80} {
		for k := 1; k <= 8; k++ {
			values := slices.Concat(slices.Repeat([]float64{5}, n), slices.Repeat([]float64{15}, k))
			for _, want := range []int{n, k} {
				found := Find(values, o)
				if len(found) != 1 && k > 2 || len(found) > 1 || len(found) == 1 &&
					found[0].Index != want {
					t.Errorf("%d values and %d: %v, want %d", n, k, found, want)
				}
				slices.Reverse(values)
			}
		}
	}
	two := slices.Concat(slices.Repeat([]float64{5}, 40), []float64{15, 15})
	for range 3 {
		if found := Find(two, Default()); len(found) != 1 || found[0].Index != 40 {
			t.Errorf("40 values and %d: %v, want 40", len(two)-40, found)
		}
		two = append(two, 15)
	}
}

// Outliers must not move the index if noise never reaches the other level.
func TestDateInNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, c := range []struct{ n, k int }{{40, 4}, {40, 5}, {40, 8}, {10, 5}, {8, 40}, {5, 30}} {
		rng := rand.New(rand.NewPCG(uint64(c.n), uint64(c.k)))
		found := 0
		for seed := range 30 {
			values := append(levels(rng, 0.03, c.n, 1), levels(rng, 0.03, c.k, 2)...)
			values[rng.IntN(c.n-1)] /= 50
			values[c.n+1+rng.IntN(c.k-1)] *= 50
			points := Find(values, seeded(seed))
			if len(points) != 1 {
				continue
			}
			if found++; points[0].Index != c.n {
				t.Errorf("%d values and %d, seed %d: change at %d", c.n, c.k, seed, points[0].Index)
			}
		}
		if c.k > 4 && found < 20 {
			t.Errorf("%d values and %d: found in %d of 30 series", c.n, c.k, found)
		}
	}
}
