// Package need is for tests that need a program or a module that not every machine has: they are
// skipped without it, and fail where POOLBENCH_NEED_ALL is set, as CI does once it has installed
// all of them.
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
