package changepoint

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMasked(t *testing.T) {
	for seed := range 6 {
		rng := rand.New(rand.NewPCG(uint64(seed), 41))
		values := slices.Concat(levels(rng, 0.05, 60, 2000), levels(rng, 0.002, 20, 1000),
			levels(rng, 0.002, 10, 1100))
		if found := Find(values, seeded(seed)); !near(found, 60, 80) {
			t.Errorf("seed %d: %v", seed, found)
		}
	}
}

// Ranks of the whole series would hide the change in 17 of 20 series.
func TestMaskedAmongOutliers(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const series = 20
	found := 0
	for seed := range series {
		rng := rand.New(rand.NewPCG(uint64(seed), 43))
		values := slices.Concat(levels(rng, 0.05, 60, 2000), levels(rng, 0.002, 20, 1000),
			levels(rng, 0.002, 12, 1100))
		for range 2 {
			values[60+rng.IntN(32)] = 5000
		}
		if near(Find(values, seeded(seed)), 60, 80) {
			found++
		}
	}
	if found < 16 {
		t.Errorf("found in %d of %d series", found, series)
	}
}
