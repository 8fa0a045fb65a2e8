//go:build unix

package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPause: a process that was stopped for 300 ms says so, in its exit code, on standard error and in its results. The run is long enough for the stop to
// fall into it, however slowly the process gets there.
func TestPause(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd := process(t, nil, strings.Fields("run --strategy worker_pool --workload constant:mean=10ms --load 0.3 --duration 2500ms --quiet --out x")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for { // the directory is made just before the run
		if _, err := os.Stat("x/results.txt"); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(600 * time.Millisecond)
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
	}
	_ = cmd.Wait() // the exit code tells
	if code := cmd.ProcessState.ExitCode(); code != undecided {
		t.Errorf("exit code %d, want %d\n%s", code, undecided, stderr.String())
	}
	if !strings.Contains(stderr.String(), "is not to be believed: pause: from ") {
		t.Errorf("stderr: %s", stderr.String())
	}
	if results := read(t, "x/results.txt"); !strings.Contains(results, "\n# invalid: pause: from ") || !strings.Contains(results, " 2 verdict") {
		t.Errorf("results: %s", results)
	}
}
