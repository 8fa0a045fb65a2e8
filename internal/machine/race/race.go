// Package race is for tests: under the race detector computations take ten times as long, and
// allocations cannot be counted (sync.Pool drops items at random).
package race

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Repetitions returns how often a statistical test repeats what it does: usual times, or a tenth of
// that under the race detector, which finds in the first repetitions what there is to find.
func Repetitions(t testing.TB, usual int) int {
	t.Helper()
	if !Enabled {
		return usual
	}
	n := max(1, usual/10)
	t.Logf("the race detector is on: %d repetitions of %d", n, usual)
	return n
}

// Sample returns what a test tries: all there is, or n of it under the race detector, where every
// case takes the same path. They are drawn at random, the same each time, and keep their order.
func Sample[T any](t testing.TB, all []T, n int) []T {
	t.Helper()
	if !Enabled || n >= len(all) {
		return all
	}
	drawn := rand.New(rand.NewPCG(uint64(len(all)), uint64(n))).Perm(len(all))[:n]
	slices.Sort(drawn)
	t.Logf("the race detector is on: cases %d of %d", drawn, len(all))
	some := make([]T, 0, n)
	for _, i := range drawn {
		some = append(some, all[i])
	}
	return some
}

// Among is Sample of a map.
func Among[M ~map[K]V, K cmp.Ordered, V any](t testing.TB, all M, n int) M {
	t.Helper()
	some := M{}
	for _, key := range Sample(t, slices.Sorted(maps.Keys(all)), n) {
		some[key] = all[key]
	}
	return some
}

// Dealt returns what the i-th of several cases is held to: all there is, or its share under the
// race detector, where all of them together are held to all of it.
func Dealt[T any](all []T, i, cases int) []T {
	if !Enabled {
		return all
	}
	var own []T
	for at := i; at < len(all); at += cases {
		own = append(own, all[at])
	}
	return own
}
