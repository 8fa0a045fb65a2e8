// Package race is for tests: under the race detector computations take ten times as long, and
// allocations cannot be counted (sync.Pool drops items at random).
package race

import "testing"

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
