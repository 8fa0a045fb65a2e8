// Package check is for tests: what is thorough rather than daily waits for `make check`, which sets
// POOLBENCH_CHECK, finds the tests that call Only, Of, Other, Others or Whole, and runs those. So a
// call stands in the Test function itself.
package check

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/machine/race"
)

const (
	variable = "POOLBENCH_CHECK"
	left     = "not daily: make check"
	had      = "daily: make test"
)

// All reports whether the test is to try all there is: make pairs, lines, compose, advice and
// coverage are a test each.
func All() bool { return os.Getenv(variable) == "all" }

// It is asked for each time, within a test: what a package's variables are set from, the cache of
// go test does not know of, and would take a daily test for this one.
func thorough() bool { return os.Getenv(variable) != "" }

// Only skips a test, or a subtest, that is not daily.
func Only(t *testing.T) {
	t.Helper()
	stands(t)
	if !thorough() {
		t.Skip(left)
	}
}

// Other skips a case that the other run has: one that is daily in make check, and each other in
// make test. Under the race detector make check's are skipped, too, but where it is to see all.
func Other(t *testing.T, daily bool) {
	t.Helper()
	stands(t)
	switch {
	case !daily && !thorough():
		t.Skip(left)
	case daily && thorough() && !race.Enabled && !All():
		t.Skip(had)
	}
}

// Others returns those of the cases that the test is to try: every n-th each day, from the first
// on, and the others in make check. As under Other, the race detector sees the daily ones, or all.
func Others[T any](t *testing.T, all []T, n int) (own []T) {
	t.Helper()
	stands(t)
	if !thorough() && !race.Enabled {
		t.Run("more", func(t *testing.T) {
			t.Skipf("%d of %d, %s", len(all)-(len(all)+n-1)/n, len(all), left)
		})
	}
	for i, c := range all {
		daily := i%n == 0
		if thorough() && (!daily || race.Enabled || All()) || !thorough() && daily {
			own = append(own, c)
		}
	}
	return own
}

// Whole reports whether the test is to do all, and says where it is not that there is more.
func Whole(t *testing.T) bool {
	t.Helper()
	stands(t)
	if !thorough() {
		t.Run("more", func(t *testing.T) { t.Skip(left) })
	}
	return thorough()
}

// Of is how much of something a test does: a part each day, which says that there is more. Under
// the race detector it is a tenth of all at most: the first repetitions find what there is to find.
func Of(t *testing.T, daily, more int) int {
	t.Helper()
	stands(t)
	if race.Enabled {
		return max(1, min(daily, more/10))
	}
	if thorough() {
		return more
	}
	t.Run("more", func(t *testing.T) {
		t.Skipf("%d of %d, %s", more-daily, more, left)
	})
	return daily
}

// RacedBy leaves a test out under the race detector, where it takes ten times as long: whatever
// runs side by side in it does so in another test of its package as well, which the detector sees.
func RacedBy(t *testing.T, other string) {
	t.Helper()
	if race.Enabled {
		t.Skip("under the race detector " + other + " starts the same goroutines")
	}
}

// stands fails where make check would not find the call.
func stands(t *testing.T) {
	t.Helper()
	pc, _, _, _ := runtime.Caller(2)
	name := runtime.FuncForPC(pc).Name()
	if !strings.Contains(name[strings.LastIndex(name, "/")+1:], ".Test") {
		t.Fatal(name, "is no test: make check does not find it")
	}
}
