//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"
)

// TestCapacityInterrupt: the first signal ends a search, keeps what there is, marks it partial,
// draws the report and ends with 130.
func TestCapacityInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd, lines := startAndAwait(t, nil, "still searched", "capacity", "--clock", "virtual",
		"--strategy", "semaphore", "--n", "3000", "--count", "400",
		"--objective", "p99-response<80ms", "--resolution", "0.1%", "--out", "x")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if s := status(t, cmd, lines); s.ExitStatus() != interrupted {
		t.Errorf("ended with %v", s)
	}
	if results := read(t, "x/results.txt"); !strings.Contains(results, "\n# partial ") ||
		!strings.HasSuffix(results, " runs: interrupted\n") {
		t.Errorf("results end %q", results[max(0, len(results)-100):])
	}
	if _, err := os.Stat("x/report.html"); err != nil {
		t.Error(err)
	}
}
