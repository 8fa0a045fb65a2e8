//go:build unix

package comparisons

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestGateInterrupt(t *testing.T) {
	gateModule(t, "1000")
	args := []string{"gate", "--base", "HEAD", "--benchtime", "1ms", "--layouts", "1", "--out", "x"}
	cmd, lines := clitest.StartAndAwait(t, nil, " of 36 runs", args...)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if s := clitest.Status(t, cmd, lines); s.ExitStatus() != clitest.Interrupted {
		t.Errorf("ended with %v", s)
	}
	noTrees(t)
	if results := clitest.Read(t, "x/old.txt"); !strings.Contains(results, "\n# partial ") ||
		!strings.HasSuffix(results, " of 6 runs: interrupted\n") {
		t.Errorf("results end %q", results[max(0, len(results)-50):])
	}
	if testing.Short() {
		return // TestResume of internal/gate/measure covers it
	}
	o := clitest.Command(t, append(args, "--resume")...)
	if o.Code != clitest.Fine || !strings.Contains(o.Stderr, "continuing after ") ||
		!strings.HasSuffix(clitest.Read(t, "x/old.txt"), "\n# complete 6 runs\n") {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	noTrees(t)
}

// lingering is a shell script whose child process writes to the pipe unless it is killed.
const lingering = "exec 3>'PIPE'; (sleep 20; echo alive >&3) & wait"

func TestGateKilled(t *testing.T) {
	for moment, prepare := range map[string]func(t *testing.T, linger string) (env []string){
		"build": func(t *testing.T, linger string) []string {
			tool := filepath.Join(t.TempDir(), "tool")
			script := fmt.Sprintf("#!/bin/sh\ncase \"$1\" in */link) test \"$2\" = -V=full || { "+
				"%s; } ;; esac\nexec \"$@\"\n", linger)
			clitest.Write(t, tool, script)
			if err := os.Chmod(tool, 0o700); err != nil {
				t.Fatal(err)
			}
			return []string{"GOFLAGS=" + os.Getenv("GOFLAGS") + " -toolexec=" + tool}
		},
		"run": func(t *testing.T, linger string) []string {
			clitest.Write(t, "linger_test.go", "package m\n\nimport "+
				"(\n\t\"os/exec\"\n\t\"testing\"\n)\n\nfunc BenchmarkA(b *testing.B) {\n"+
				"\t_ = b.TempDir()\n\tif b.N > 1 {\n\t\t_ = exec.Command(\"sh\", \"-c\", `"+linger+
				"`).Run()\n\t}\n}\n")
			if err := os.Remove("m_test.go"); err != nil {
				t.Fatal(err)
			}
			return nil
		},
	} {
		for _, how := range []syscall.Signal{syscall.SIGKILL,
			map[string]syscall.Signal{"build": syscall.SIGINT, "run": syscall.SIGHUP}[moment]} {
			t.Run(fmt.Sprintf("%s/%v", moment, how), func(t *testing.T) {
				if testing.Short() && how != syscall.SIGKILL {
					t.Skip("long: skipped with -short")
				}
				gateModule(t, "1000")
				// If this process ignores SIGHUP, as under nohup, its children ignore SIGHUP, too.
				heard := make(chan os.Signal, 1)
				signal.Notify(heard, how)
				defer signal.Stop(heard)
				pipe := filepath.Join(t.TempDir(), "living")
				if err := syscall.Mkfifo(pipe, 0o600); err != nil {
					t.Fatal(err)
				}
				env := prepare(t, strings.ReplaceAll(lingering, "PIPE", pipe))
				clitest.Write(t, "gate.xml", "all is well")
				cmd := clitest.Process(t, env, "gate", "--base", "HEAD", "--benchtime", "100x", "--layouts",
					"1", "--out", "x", "--quiet", "--junit", "gate.xml")
				var stderr strings.Builder
				cmd.Stderr = &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() {
					ended <- cmd.Wait()
					if f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
						_ = f.Close()
					}
				}()
				living, err := os.Open(pipe) // opens when a descendant has opened it
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Process.Signal(how); err != nil {
					t.Fatalf("it has ended by itself: %s", stderr.String())
				}
				text, err := io.ReadAll(living)
				if err := errors.Join(err, living.Close()); err != nil || len(text) > 0 {
					t.Errorf("what it had started lived on: %q, %v", text, err)
				}
				<-ended
				if code := cmd.ProcessState.ExitCode(); how != syscall.SIGKILL &&
					code != clitest.Interrupted {
					t.Errorf("exit code %d: %s", code, stderr.String())
				}
				if text := clitest.Read(t, "gate.xml"); !strings.Contains(text, `errors="1"`) {
					t.Errorf("the report of the gate before it has become %q", text)
				}
				for range 3000 { // after a kill, the guard process removes the remains
					if left, err := os.ReadDir(os.TempDir()); err != nil {
						t.Fatal(err)
					} else if worktrees,
						_ := exec.Command("git", "worktree", "list").Output(); len(left) == 0 &&
						strings.Count(string(worktrees), "\n") == 1 {
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
				left, _ := os.ReadDir(os.TempDir())
				t.Errorf("left: %v", left)
				noTrees(t)
			})
		}
	}
}
