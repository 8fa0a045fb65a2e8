package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/revisions"
)

// The test binary doubles as the command: the tests start it, and the command in them starts it as its child.
const (
	asCommand  = "POOLBENCH_TEST_AS_COMMAND"
	childFault = "POOLBENCH_TEST_CHILD_FAULT" // what the child does instead of its work, for the scenarios with a serial strategy
	stuckDrive = "POOLBENCH_TEST_STUCK"       // real-clock runs never return
	steadily   = "POOLBENCH_TEST_STEADILY"    // the controls of a gate take the same time whatever the machine does
)

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" && !(len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-test.")) { // a fuzzing worker is a child, too
		os.Exit(runAsCommand(os.Args[1:]))
	}
	// The race detector lets every process sleep a second at its end, for races of goroutines that go on. Children have none.
	// And what the tests gate is no part of a job's summary.
	for name, value := range map[string]string{asCommand: "1", "GORACE": "atexit_sleep_ms=0", "GITHUB_STEP_SUMMARY": ""} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) // some libraries start goroutines when they are imported
}

func runAsCommand(args []string) int {
	a := &app{stdin: os.Stdin, stdout: &output{to: os.Stdout}, stderr: os.Stderr, drive: bench.Run}
	if fault := os.Getenv(childFault); fault != "" && args[0] == "simulate" {
		var line bytes.Buffer // the scenario is read here, and handed on when it is none to spoil
		var w bench.Written
		if err := json.NewDecoder(io.TeeReader(os.Stdin, &line)).Decode(&w); err != nil {
			panic(err)
		}
		if w.Strategy == "serial" {
			misbehave(fault)
		}
		a.stdin = io.MultiReader(&line, os.Stdin)
	}
	if os.Getenv(steadily) != "" && args[0] == "control" {
		ns := 1000
		if slices.Contains(args, "--slower=true") {
			ns = 1150
		}
		fmt.Printf("%s\t100\t%d ns/op\n", revisions.ControlName, ns)
		return fine
	}
	if os.Getenv(stuckDrive) != "" {
		a.drive = func(context.Context, bench.Scenario) (*bench.Result, error) {
			fmt.Fprintln(os.Stderr, "stuck")
			select {}
		}
	}
	return a.run(context.Background(), args)
}

// misbehave is what strategies do to their process.
func misbehave(fault string) {
	switch fault {
	case "panic":
		go func() { panic("index out of cheese\n\nwith\n" + strings.Repeat("a very long line ", 1000)) }()
		select {}
	case "hang":
		for i := 0; ; i++ {
			runtimeSpin(i)
		}
	case "exit":
		os.Exit(7)
	case "chatter":
		fmt.Println("strategies may not print")
		os.Exit(0)
	}
	panic("unknown fault " + fault)
}

//go:noinline
func runtimeSpin(int) {}

// outcome is what a shell would see.
type outcome struct {
	code           int
	stdout, stderr string
}

// command runs poolbench in this process, in the current directory.
func command(t testing.TB, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// fine runs it and wants exit code 0.
func succeed(t testing.TB, args ...string) outcome {
	t.Helper()
	o := command(t, args...)
	if o.code != fine {
		t.Fatalf("poolbench %q: exit code %d\n%s", args, o.code, o.stderr)
	}
	return o
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
	return append([]string{"run", "--quiet", "--clock", "virtual", "--strategy", "semaphore", "--n", "500"}, more...)
}
