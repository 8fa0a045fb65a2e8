//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

// TestGateInterrupt: the first signal keeps what there is, marks it partial, takes the worktrees away and ends with 130; --resume goes on.
func TestGateInterrupt(t *testing.T) {
	gateModule(t, "1000")
	args := []string{"gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts", "1", "--out", "x"}
	cmd, lines := startAndAwait(t, nil, " of 36 runs", args...)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if s := status(t, cmd, lines); s.ExitStatus() != interrupted {
		t.Errorf("ended with %v", s)
	}
	noTrees(t)
	if results := read(t, "x/old.txt"); !strings.Contains(results, "\n# partial ") || !strings.HasSuffix(results, " of 6 runs: interrupted\n") {
		t.Errorf("results end %q", results[max(0, len(results)-50):])
	}
	o := command(t, append(args, "--resume")...)
	if o.code != fine || !strings.Contains(o.stderr, "going on after ") || !strings.HasSuffix(read(t, "x/old.txt"), "\n# complete 6 runs\n") {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	noTrees(t)
}
