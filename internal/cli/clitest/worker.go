//go:build unix

package clitest

import (
	"fmt"
	"os/exec"
	"testing"
)

func StartWorker(t *testing.T, address string) *exec.Cmd {
	t.Helper()
	cmd := Process(t, nil, "worker", "--nats", "-", "--parallel", "1", "--quiet")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(stdin, address)
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait() // it may have been killed
	})
	return cmd
}
