//go:build unix

package searches

import (
	"os"
	"strings"
	"testing"

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
