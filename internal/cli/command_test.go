package cli

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
	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/internal/cli/runner"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

// The test binary doubles as the command: the tests start it, and the command in them starts it as
// its child.
const (
	asCommand = "POOLBENCH_TEST_AS_COMMAND"
	// what the child does before its work, for the scenarios with a serial strategy
	childFault = "POOLBENCH_TEST_CHILD_FAULT"
	stuckDrive = "POOLBENCH_TEST_STUCK" // real-clock runs never return
	soonEnough = "POOLBENCH_TEST_SOON"  // soaks are asked at once what they have so far
	// the controls of a gate take the same time whatever the machine does, or any where it is wild
	steadily = "POOLBENCH_TEST_STEADILY"
)

const wild = "wild"

// Exit codes, as a shell has them.
const (
	fine        = int(exit.Fine)
	regression  = int(exit.Regression)
	unusable    = int(exit.Unusable)
	undecided   = int(exit.Undecided)
	interrupted = int(exit.Interrupted)
)

// Main is the TestMain of a package of tests.
func mainOf(m *testing.M) {
	if os.Getenv(asCommand) != "" &&
		!(len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-test.")) {
		// a fuzzing worker is a child, too
		os.Exit(runAsCommand(os.Args[1:]))
	}
	// The race detector lets every process sleep a second at its end, for races of goroutines that
	// go on. Children have none. And what the tests gate is no part of a job's summary.
	for name, value := range map[string]string{asCommand: "1", "GORACE": "atexit_sleep_ms=0",
		"GITHUB_STEP_SUMMARY": ""} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	// some libraries start goroutines when they are imported
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// An Outcome is what a shell would see.
type Outcome struct {
	code           int
	stdout, stderr string
}

// command runs poolbench in this process, in the current directory.
func command(t testing.TB, args ...string) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return Outcome{code, stdout.String(), stderr.String()}
}

// fine runs it and wants exit code 0.
func succeed(t testing.TB, args ...string) Outcome {
	t.Helper()
	o := command(t, args...)
	if o.code != fine {
		t.Fatalf("poolbench %q: exit code %d\n%s", args, o.code, o.stderr)
	}
	return o
}

// driven runs poolbench in this process with runs under the real clock that are made so.
func driven(t testing.TB, drive bench.RunFunc, args ...string) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	h := runner.NewHost(terminal.New(&stdout, &stderr))
	h.Drive = drive
	code := On(t.Context(), h, args, strings.NewReader(""))
	return Outcome{code, stdout.String(), stderr.String()}
}

// root is the command with all subcommands.
func root() *cobra.Command {
	return Root(runner.NewHost(terminal.New(io.Discard, io.Discard)), nil)
}

// process is poolbench as a process of its own.
func process(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}
