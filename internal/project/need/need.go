// Package need skips tests that need a missing program or module. If POOLBENCH_NEED_ALL is set, as
// in CI where all are installed, such a test fails.
package need

import (
	"os"
	"testing"
)

func Skip(t testing.TB, why any) {
	t.Helper()
	if os.Getenv("POOLBENCH_NEED_ALL") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
