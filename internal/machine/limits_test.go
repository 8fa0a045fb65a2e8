package machine_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/poolbench/poolbench/internal/machine"
)

func TestLimits(t *testing.T) {
	limit, before := machine.Descriptors()
	if runtime.GOOS == "linux" && (before < 1 || limit <= before || machine.Memory() < 1<<20) {
		t.Errorf("%d descriptors of %d are free, and %d bytes", before, limit, machine.Memory())
	}
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, free := machine.Descriptors(); limit > 0 && free != before-1 {
		t.Errorf("%d descriptors are free, and %d before a file was opened", free, before)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
