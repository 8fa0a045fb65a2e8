package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/internal/cli/runner"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/gate/measure"
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

func TestMain(m *testing.M) {
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

// flipped is the environment variable that has a process of crash find the files below a directory
// damaged, as it starts: so the bytes flip between a kill and the restart.
const flipped = "POOLBENCH_FLIPPED"

// flip damages each file below dir.
func flip(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		for i := 0; i < len(data); i += 97 {
			data[i] ^= 0x55
		}
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		return err
	})
}

// room is a temporary directory for a command, and its working directory.
func room(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Chdir(t.TempDir())
	return dir
}

func runAsCommand(args []string) int {
	h := runner.NewHost(terminal.New(os.Stdout, os.Stderr))
	if os.Getenv(soonEnough) != "" {
		h.FirstPause = time.Millisecond
	}
	if os.Getenv(plantedHere) != "" {
		plant()
	}
	if dir := os.Getenv(flipped); dir != "" && args[0] == "crashing" {
		flip(dir)
	}
	if fault := os.Getenv(childFault); fault != "" && args[0] == "simulate" {
		runs := 0
		h.Drive = func(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
			if runs++; s.Strategy.Spec.Name == "serial" && (fault != "worn" || runs > 1) {
				misbehave(fault)
			}
			return bench.Run(ctx, s)
		}
	}
	if os.Getenv(steadily) != "" && args[0] == "control" {
		ns := 1000.0
		switch {
		case os.Getenv(steadily) == wild:
			ns *= math.Exp(2 * rand.NormFloat64())
		case slices.Contains(args, "--slower=true"):
			ns = 1150
		}
		// a metric of its own keeps a run in one process
		fmt.Printf("%s\t100\t%g ns/op\t1 steady\n", measure.ControlName, ns)
		return fine
	}
	if os.Getenv(stuckDrive) != "" && args[0] != "simulate" {
		h.Grace = time.Hour // the test interrupts it again, however late that comes
		h.Drive = func(context.Context, bench.Scenario) (*bench.Result, error) {
			fmt.Fprintln(os.Stderr, "stuck")
			select {}
		}
	}
	return On(context.Background(), h, args, os.Stdin)
}

// misbehave is what strategies do to their process.
func misbehave(fault string) {
	switch fault {
	case "panic":
		go func() {
			panic("index out of cheese\n\nwith\n" + strings.Repeat("a very long line ", 1000))
		}()
		select {}
	case "hang":
		for i := 0; ; i++ {
			runtimeSpin(i)
		}
	case "deadlock":
		select {}
	case "exit", "worn": // worn: in a process that has run something before
		os.Exit(7)
	case "chatter":
		fmt.Fprintln(os.NewFile(1, "stdout"), "strategies may not print")
		os.Exit(0)
	case "linger": // a process of its own holds its pipes for longer than it lives
		sleep := exec.Command("sleep", "5")
		held = os.NewFile(1, "stdout")
		sleep.Stdout, sleep.Stderr = held, os.Stderr
		if err := sleep.Start(); err != nil {
			panic(err)
		}
		return
	}
	panic("unknown fault " + fault)
}

var held *os.File // a file that is collected closes what it stands for

//go:noinline
func runtimeSpin(int) {}

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

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// quick are the flags of a run that takes milliseconds.
func quick(more ...string) []string {
	return append([]string{"run", "--quiet", "--clock", "virtual", "--strategy", "semaphore",
		"--n", "500"}, more...)
}
