// Package clitest runs the command in tests, in the test's process or as a child. The tests are in
// the packages below this one, so each package is built once and they run in parallel. Their test
// binaries also serve as the command (Main).
package clitest

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

const (
	// runs the test binary as the command; set for children of tests and their children
	AsCommand = "POOLBENCH_TEST_AS_COMMAND"
	// fault of a child before its work, for scenarios with a serial strategy
	ChildFault = "POOLBENCH_TEST_CHILD_FAULT"
	StuckDrive = "POOLBENCH_TEST_STUCK" // real-clock runs never return
	SoonEnough = "POOLBENCH_TEST_SOON"  // interim results of soaks are requested at once
	// the controls of a gate have constant or random times, independent of the machine
	Steadily = "POOLBENCH_TEST_STEADILY"
)

// Wild is the value of Steadily for random times.
const Wild = "wild"

const (
	Fine        = int(terminal.Fine)
	Regression  = int(terminal.Regression)
	Unusable    = int(terminal.Unusable)
	Undecided   = int(terminal.Undecided)
	Interrupted = int(terminal.Interrupted)
)

// Main is the TestMain of a package of tests. It runs the test binary as the command if AsCommand
// is set.
func Main(m *testing.M) {
	if os.Getenv(AsCommand) != "" &&
		!(len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-test.")) {
		// a fuzzing worker is a child too
		os.Exit(runAsCommand(os.Args[1:]))
	}
	// The race detector makes every process sleep a second at its end, which children do not need.
	// Gates in tests must not write to the summary of a CI job.
	for name, value := range map[string]string{AsCommand: "1", "GORACE": "atexit_sleep_ms=0",
		"GITHUB_STEP_SUMMARY": ""} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	// some libraries start goroutines when imported
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

type Outcome struct {
	Code           int
	Stdout, Stderr string
}

func Command(t testing.TB, args ...string) Outcome {
	t.Helper()
	return Driven(t, bench.Run, args...)
}

// Bitmaps in the reports would double the time of these tests. TestRunWritesDirectory,
// reports/charts and reports/page test bitmaps.
func host(stdout, stderr io.Writer) *execute.Host {
	h := execute.NewHost(terminal.New(stdout, stderr))
	h.Vectors = true
	return h
}

func Succeed(t testing.TB, args ...string) Outcome {
	t.Helper()
	o := Command(t, args...)
	if o.Code != Fine {
		t.Fatalf("poolbench %q: exit code %d\n%s", args, o.Code, o.Stderr)
	}
	return o
}

// drive replaces runs under the real clock.
func Driven(t testing.TB, drive bench.RunFunc, args ...string) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	h := host(&stdout, &stderr)
	h.Drive = drive
	code := cli.RunOn(t.Context(), h, args, strings.NewReader(""))
	return Outcome{code, stdout.String(), stderr.String()}
}

func Root() *cobra.Command {
	return cli.Root(execute.NewHost(terminal.New(io.Discard, io.Discard)), nil)
}

func Process(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// IsolatedProcess is Process with its own current directory and directory for temporary files, for
// parallel tests.
func IsolatedProcess(t testing.TB, env []string, args ...string) (cmd *exec.Cmd, temporary string) {
	t.Helper()
	temporary = t.TempDir()
	cmd = Process(t, append([]string{"TMPDIR=" + temporary}, env...), args...)
	cmd.Dir = t.TempDir()
	return cmd, temporary
}
