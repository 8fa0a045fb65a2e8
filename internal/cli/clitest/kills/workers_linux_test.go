package kills

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestLocalWorkersEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const mark = "POOLBENCH_TEST_OF=TestLocalWorkersEnd"
	// A killed command cannot remove its temporary directory.
	cmd := clitest.Process(t, []string{mark, "TMPDIR=" + t.TempDir()}, "run", "--clock", "virtual",
		"--n", "100000", "--count", "1000",
		"--quiet", "--workers", "2", "--out", filepath.Join(t.TempDir(), "out"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(withEnvironment(t, mark)) < 3 { // the command and two workers, or a child of one
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for len(withEnvironment(t, mark)) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
}

func withEnvironment(t *testing.T, entry string) (all []string) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		environment, err := os.ReadFile(path)
		if err == nil && bytes.Contains(environment, []byte(entry)) { // err: the process has ended
			all = append(all, path)
		}
	}
	return all
}
