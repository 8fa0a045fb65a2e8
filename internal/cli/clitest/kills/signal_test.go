//go:build unix

package kills

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestInterrupt(t *testing.T) {
	for clock, signal := range map[string]os.Signal{"real": os.Interrupt,
		"virtual": syscall.SIGTERM} {
		t.Run(clock, func(t *testing.T) {
			t.Chdir(t.TempDir())
			long := strings.Replace(clitest.LongScenarios, "CLOCK", clock, 1)
			if clock == "virtual" {
				long = strings.Replace(long, "duration: 1h", "n: 20000000", 1)
			}
			clitest.Write(t, "s.yaml", long)
			cmd, lines := clitest.StartAndAwait(t, nil, "1 of 2 runs", "run", "--file",
				"s.yaml", "--out", "x")
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if s := clitest.Status(t, cmd, lines); s.ExitStatus() != clitest.Interrupted {
				t.Errorf("ended with %v", s)
			}
			if results := clitest.Read(t, "x/results.txt"); !strings.HasSuffix(results,
				"\n# partial 1 of 2 runs: interrupted\n") {
				t.Errorf("results end %q", results[max(0, len(results)-50):])
			}
			if _, err := os.Stat("x/report.html"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestInterruptTwice(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "s.yaml", strings.Replace(clitest.LongScenarios, "CLOCK", "real", 1))
	// If this process ignores SIGINT, as after a shell's &, its children ignore SIGINT, too.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	cmd, lines := clitest.StartAndAwait(t, []string{clitest.StuckDrive + "=1"}, "stuck", "run",
		"--file",
		"s.yaml", "--out", "x")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	clitest.Await(t, lines, "Press Ctrl-C again to end at once")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if s := clitest.Status(t, cmd, lines); !s.Signaled() || s.Signal() != syscall.SIGINT {
		t.Errorf("ended with %v", s)
	}
}

func TestOrphan(t *testing.T) {
	child := clitest.Process(t, nil, "simulate")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	const forLong = `{"Strategy":"semaphore","Workload":"exponential","Target":"none","Arrival":"poisson","Limit":4,"Load":0.5,"Tasks":20000000,"Clock":"virtual"}`
	if _, err := io.WriteString(stdin, forLong); err != nil {
		t.Fatal(err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := child.Wait(); !errors.As(err, &exit) || exit.ExitCode() != clitest.Unusable {
		t.Errorf("ended with %v", err)
	}
}
