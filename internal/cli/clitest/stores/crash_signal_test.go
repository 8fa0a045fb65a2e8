//go:build unix

package stores

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestCrashInterrupt(t *testing.T) {
	for _, strategy := range []string{"sqlite_queue", "jetstream"} {
		t.Run(strategy, func(t *testing.T) {
			dir := t.TempDir()
			inDir := func() int {
				found, err := os.ReadDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				return len(found)
			}
			cmd := clitest.Process(t, nil, "crash", strategy+":dir="+dir, "--tasks", "1000000", "--quiet")
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for inDir() == 0 {
				time.Sleep(time.Millisecond)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != clitest.Interrupted {
				t.Errorf("ended with %v", err)
			}
			if n := inDir(); n > 0 || said.Len() > 0 {
				t.Errorf("%d directories are left behind; it said %q", n, said.String())
			}
		})
	}
}
