//go:build !race

// Package race reports whether the race detector is on. With it allocations cannot be counted
// (sync.Pool drops items at random), and computations are ten times slower.
package race

// Enabled reports whether the race detector is on.
const Enabled = false
