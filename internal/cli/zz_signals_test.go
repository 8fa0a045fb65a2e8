//go:build unix

package cli

import (
	"bufio"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// startAndAwait starts the command and reads its stderr up to a line with that word.
func startAndAwait(
	t *testing.T, env []string, word string, args ...string,
) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := process(t, env, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	await(t, lines, word)
	return cmd, lines
}

func await(t *testing.T, lines *bufio.Scanner, word string) {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), word) {
			return
		}
	}
	t.Fatalf("it never said %q", word)
}

// status waits for the end and returns the wait status.
func status(t *testing.T, cmd *exec.Cmd, rest *bufio.Scanner) syscall.WaitStatus {
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

// longScenarios are a short run and a very long one.
const longScenarios = `- {strategy: semaphore, n: 500, clock: virtual}
- {strategy: semaphore, duration: 1h, rate: 50, clock: CLOCK}
`
