package changepoint

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMasked: a change behind an older level that was far away, and noisier, is found.
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

// TestMaskedAmongOutliers: so is one among outliers that the older level lies between, since each
// stretch has ranks of its own: among those of the whole series two outliers hide it, in 17 of 20.
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
