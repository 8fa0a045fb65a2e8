//go:build race

package peers_test

// Under the race detector sync.Pool drops items at random, so counts of allocations mean nothing.
const raceDetector = true
