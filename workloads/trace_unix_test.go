//go:build unix

package workloads

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
)

func TestTraceFileMustBeOneThatCanBeReadAgain(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no such file",
		dir:                        "is a directory",
		pipe:                       "is not a regular file",
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
