//go:build unix

package revisions

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func shell(t *testing.T, script string) command {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	return command{argv: []string{sh, "-c", script}, dir: t.TempDir(), env: seeded(17)}
}

// TestChild: what a process left, its environment and directory.
func TestChild(t *testing.T) {
	c := shell(t, `echo "$POOLBENCH_SEED $PWD"; echo why >&2; exit "$0"`)
	c.argv = append(c.argv, "0")
	after, err := c.run(t.Context(), time.Minute)
	if err != nil || string(after.stdout) != "17 "+c.dir+"\n" {
		t.Errorf("%q, %v", after.stdout, err)
	}
	c.argv[len(c.argv)-1] = "3"
	var not *failed
	if after, err = c.run(t.Context(), time.Minute); !errors.As(err, &not) || err.Error() != "exit status 3" || string(after.stderr) != "why\n" {
		t.Errorf("%q, %v", after.stderr, err)
	}
	c.argv[0] = "/nowhere/at/all"
	if _, err = c.run(t.Context(), time.Minute); err == nil || errors.As(err, &not) {
		t.Errorf("what does not exist: %v", err)
	}
}

// TestChildLimit: a process that hangs is ended at the limit, with what it has started.
func TestChildLimit(t *testing.T) {
	_, err := shell(t, "sleep 600 & wait").run(t.Context(), 20*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "no end after 20ms") {
		t.Errorf("%v", err)
	}
}
