//go:build unix

package workloads

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
)

func TestTraceFileMustBeOneThatCanBeReadAgain(t *testing.T) {
	dir := t.TempDir()
	pipe, big := filepath.Join(dir, "pipe"), filepath.Join(dir, "big")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(mostTraceBytes + 1); err != nil { // takes no space
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no such file",
		dir:                        "is not a regular file",
		pipe:                       "is not a regular file",
		big:                        "has 67108865 bytes, want at most 67108864",
	} {
		if _, err := traceOf("", path); err == nil ||
			!strings.HasPrefix(err.Error(), "workload trace: file: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want an error that says %s", path, err, want)
		}
	}
	if _, err := Resolve(param.Call{Name: "trace"}); err == nil ||
		!strings.HasPrefix(err.Error(), "workload trace: file: must be given") {
		t.Errorf("without a file: %v", err)
	}
}
