// Package need is for tests that need a program or a module which may be missing: they are skipped
// without it, and fail if POOLBENCH_NEED_ALL is set, as in CI, where all are installed.
package need

import (
	"os"
	"testing"
)

// Skip skips the test for want of something, or fails it.
func Skip(t testing.TB, why any) {
	t.Helper()
	if os.Getenv("POOLBENCH_NEED_ALL") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
