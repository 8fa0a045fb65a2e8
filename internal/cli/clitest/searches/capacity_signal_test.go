//go:build unix

package searches

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestCapacityInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd, lines := clitest.StartAndAwait(t, nil, "search not finished", "capacity", "--clock", "virtual",
		"--strategy", "semaphore", "--n", "3000", "--count", "400",
		"--objective", "p99-response<80ms", "--resolution", "0.1%", "--out", "x")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if s := clitest.Status(t, cmd, lines); s.ExitStatus() != clitest.Interrupted {
		t.Errorf("ended with %v", s)
	}
	if results := clitest.Read(t, "x/results.txt"); !strings.Contains(results, "\n# partial ") ||
		!strings.HasSuffix(results, " runs: interrupted\n") {
		t.Errorf("results end %q", results[max(0, len(results)-100):])
	}
	if _, err := os.Stat("x/report.html"); err != nil {
		t.Error(err)
	}
}

// The interruption comes in the first probe, before there is anything to show.
func TestServerCapacityInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	url, served := clitest.Shop(t, 200)
	cmd := clitest.Process(t, nil, "capacity", url, "--objective", "p50-response<1h",
		"--first-rate", "100", "--max-rate", "200", "--duration", "1h", "--out", "x", "--quiet")
	var shown strings.Builder
	cmd.Stdout = &shown
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for served.Load() < 5 {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != clitest.Interrupted {
		t.Errorf("ended with %v", err)
	}
	if !strings.HasPrefix(shown.String(), "PARTIAL: interrupted after ") {
		t.Errorf("output begins %.80q", shown.String())
	}
}
