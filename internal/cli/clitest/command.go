// Package clitest runs the command in tests, in the test's process or as a child. The tests are in
// the packages below this one, by theme, so that they are built once each and run in parallel.
// Their test binaries double as the command (Main).
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

// Environment variables that the test binary knows as the command.
const (
	// it is the command: the tests start it, and the command in them starts it as its child
	AsCommand = "POOLBENCH_TEST_AS_COMMAND"
	// fault of the child before its work, for the scenarios with a serial strategy
	ChildFault = "POOLBENCH_TEST_CHILD_FAULT"
	StuckDrive = "POOLBENCH_TEST_STUCK" // real-clock runs never return
	SoonEnough = "POOLBENCH_TEST_SOON"  // soaks are asked at once what they have so far
	// the controls of a gate have constant times whatever the machine does, or random ones
	Steadily = "POOLBENCH_TEST_STEADILY"
)

// Wild is a value of Steadily.
const Wild = "wild"

// Exit codes, as a shell has them.
const (
	Fine        = int(terminal.Fine)
	Regression  = int(terminal.Regression)
	Unusable    = int(terminal.Unusable)
	Undecided   = int(terminal.Undecided)
	Interrupted = int(terminal.Interrupted)
)

// Main is the TestMain of a package of tests. The test binary doubles as the command.
func Main(m *testing.M) {
	if os.Getenv(AsCommand) != "" &&
		!(len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-test.")) {
		// a fuzzing worker is a child, too
		os.Exit(runAsCommand(os.Args[1:]))
	}
	// The race detector lets every process sleep a second at its end, for races of goroutines that
	// go on. Children have none. And gates of tests must not write into a job's summary.
	for name, value := range map[string]string{AsCommand: "1", "GORACE": "atexit_sleep_ms=0",
		"GITHUB_STEP_SUMMARY": ""} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	// some libraries start goroutines when they are imported
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// An Outcome is the outcome of a command as a shell sees it.
type Outcome struct {
	Code           int
	Stdout, Stderr string
}

// Command runs poolbench in this process, in the current directory.
func Command(t testing.TB, args ...string) Outcome {
	t.Helper()
	return Driven(t, bench.Run, args...)
}

// host returns a host whose reports have no bitmaps, which would double the time of these tests.
// reports/charts and reports/page test them, and TestRunWritesDirectory the unchanged command.
func host(stdout, stderr io.Writer) *execute.Host {
	h := execute.NewHost(terminal.New(stdout, stderr))
	h.Vectors = true
	return h
}

// Succeed runs it and wants exit code 0.
func Succeed(t testing.TB, args ...string) Outcome {
	t.Helper()
	o := Command(t, args...)
	if o.Code != Fine {
		t.Fatalf("poolbench %q: exit code %d\n%s", args, o.Code, o.Stderr)
	}
	return o
}

// Driven runs poolbench in this process with runs under the real clock that are made so.
func Driven(t testing.TB, drive bench.RunFunc, args ...string) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	h := host(&stdout, &stderr)
	h.Drive = drive
	code := cli.On(t.Context(), h, args, strings.NewReader(""))
	return Outcome{code, stdout.String(), stderr.String()}
}

// Root is the command with all subcommands.
func Root() *cobra.Command {
	return cli.Root(execute.NewHost(terminal.New(io.Discard, io.Discard)), nil)
}

// Process is poolbench as a process of its own.
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

// Apart is a Process in a directory of its own, with another one for temporary files: tests that
// share none may go on side by side.
func Apart(t testing.TB, env []string, args ...string) (cmd *exec.Cmd, temporary string) {
	t.Helper()
	temporary = t.TempDir()
	cmd = Process(t, append([]string{"TMPDIR=" + temporary}, env...), args...)
	cmd.Dir = t.TempDir()
	return cmd, temporary
}
