//go:build !race

// Package race reports whether the race detector is enabled. With it, allocations cannot be
// counted, because sync.Pool drops items at random, and computations are ten times slower.
package race

const Enabled = false
