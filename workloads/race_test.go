//go:build race

package workloads_test

// Under the race detector sync.Pool drops items at random, so counts of allocations mean nothing.
const raceDetector = true
