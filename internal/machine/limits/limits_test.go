package limits_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/poolbench/poolbench/internal/machine/limits"
)

// TestLimits: an open file takes a descriptor.
func TestLimits(t *testing.T) {
	limit, before := limits.Descriptors()
	if runtime.GOOS == "linux" && (before < 1 || limit <= before || limits.Memory() < 1<<20) {
		t.Errorf("%d descriptors of %d are free, and %d bytes", before, limit, limits.Memory())
	}
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, free := limits.Descriptors(); limit > 0 && free != before-1 {
		t.Errorf("%d descriptors are free, and %d before a file was opened", free, before)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
