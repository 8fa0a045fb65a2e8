//go:build unix

package kills

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// The process is stopped repeatedly, so one of the stops interrupts the run.
func TestPause(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd := clitest.Process(t, nil, strings.Fields("run --strategy worker_pool --workload "+
		"constant:mean=10ms --load 0.3 --duration 1200ms --quiet --out x")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the test checks the exit code
	}()
	for running := true; running; {
		for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
			_ = cmd.Process.Signal(s) // fails if the process has ended
			time.Sleep(300 * time.Millisecond)
		}
		select {
		case <-ended:
			running = false
		default:
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != clitest.Undecided {
		t.Errorf("exit code %d, want %d\n%s", code, clitest.Undecided, stderr.String())
	}
	if !strings.Contains(stderr.String(), "is INVALID: pause: from ") {
		t.Errorf("stderr: %s", stderr.String())
	}
	if results := clitest.Read(t, "x/results.txt"); !strings.Contains(results,
		"\n# invalid: pause: from ") || !strings.Contains(results, " 2 verdict") {
		t.Errorf("results: %s", results)
	}
}
