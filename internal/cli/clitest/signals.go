//go:build unix

package clitest

import (
	"bufio"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// StartAndAwait reads the stderr of the command up to a line with the given word.
func StartAndAwait(
	t *testing.T, env []string, word string, args ...string,
) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := Process(t, env, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	Await(t, lines, word)
	return cmd, lines
}

// Await reads up to a line with the given word.
func Await(t *testing.T, lines *bufio.Scanner, word string) {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), word) {
			return
		}
	}
	t.Fatalf("it never printed %q", word)
}

func Status(t *testing.T, cmd *exec.Cmd, rest *bufio.Scanner) syscall.WaitStatus {
	t.Helper()
	for rest.Scan() {
		t.Log(rest.Text())
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.Sys().(syscall.WaitStatus)
}

const LongScenarios = `- {strategy: semaphore, n: 500, clock: virtual}
- {strategy: semaphore, duration: 1h, rate: 50, clock: CLOCK}
`
