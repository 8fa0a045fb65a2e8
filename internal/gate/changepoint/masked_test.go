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
