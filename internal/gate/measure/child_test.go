//go:build unix

package measure

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
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

func TestChild(t *testing.T) {
	c := shell(t, `echo "$POOLBENCH_SEED $PWD"; echo why >&2; exit "$0"`)
	c.argv = append(c.argv, "0")
	after, err := c.run(t.Context(), time.Minute)
	if err != nil || string(after.stdout) != "17 "+c.dir+"\n" {
		t.Errorf("%q, %v", after.stdout, err)
	}
	c.argv[len(c.argv)-1] = "3"
	var not *failed
	if after, err = c.run(t.Context(), time.Minute); !errors.As(err, &not) ||
		err.Error() != "exit status 3" || string(after.stderr) != "why\n" {
		t.Errorf("%q, %v", after.stderr, err)
	}
	c.argv[0] = "/nowhere/at/all"
	if _, err = c.run(t.Context(), time.Minute); err == nil || errors.As(err, &not) {
		t.Errorf("what does not exist: %v", err)
	}
}

// surviving opens a named pipe to which the processes of a command write if they survive. alive
// waits until they have closed the pipe.
func surviving(t *testing.T, c command) (alive func() bool) {
	t.Helper()
	path := filepath.Join(c.dir, "living")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	return func() bool {
		text, err := io.ReadAll(pipe)
		if err := errors.Join(err, pipe.Close()); err != nil {
			t.Fatal(err)
		}
		return len(text) > 0
	}
}

func TestChildLimit(t *testing.T) {
	c := shell(t, "exec 3>living; (sleep 2; echo alive >&3) & wait")
	alive := surviving(t, c)
	_, err := c.run(t.Context(), 100*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "no end after 100ms") {
		t.Errorf("%v", err)
	}
	if alive() {
		t.Error("what it has started lived on")
	}
}

func TestChildDescendantsAreKilled(t *testing.T) {
	for script, want := range map[string]string{
		"exec 3>living; (sleep 2; echo alive >&3) >/dev/null 2>&1 &": "",
		"exec 3>living; (sleep 2; echo alive >&3) &": "it has ended, but a process that it " +
			"started keeps its output open",
	} {
		c := shell(t, script)
		alive := surviving(t, c)
		if _, err := c.run(t.Context(), time.Minute); (err == nil) != (want == "") || err != nil &&
			err.Error() != want {
			t.Errorf("%s: %v", script, err)
		}
		if alive() {
			t.Errorf("%s: it lived on", script)
		}
	}
}
