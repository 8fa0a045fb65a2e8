//go:build unix

package cli

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/internal/house/check"
)

// TestWorkers: a directory is the same to the byte whoever made its runs, when workers are killed
// all the while and others come late.
func TestWorkers(t *testing.T) {
	wide := "run --quiet --clock virtual --strategy worker_pool,semaphore,serial " +
		"--load 0.5,0.7,0.8,0.9,0.95 --n 400 --count 20 --out "
	commands := []string{wide, resumable["capacity"], resumable["study"]}
	for _, line := range commands {
		t.Run(strings.Fields(line)[0], func(t *testing.T) {
			if line == resumable["study"] {
				check.Only(t)
			}
			t.Parallel()
			dir := t.TempDir()
			alone, by := filepath.Join(dir, "alone"), filepath.Join(dir, "workers")
			want := command(t, strings.Fields(line+alone)...)
			at, err := hub.StartLocal()
			if err != nil {
				t.Fatal(err)
			}
			defer at.Close()
			ended := make(chan struct{})
			var fleet sync.WaitGroup
			fleet.Go(func() {
				workers := []*exec.Cmd{startWorker(t, at.Address), startWorker(t, at.Address)}
				for range 4 {
					select {
					case <-ended:
						return
					case <-time.After(300 * time.Millisecond):
					}
					_ = workers[rand.IntN(len(workers))].Process.Kill()
					workers = append(workers, startWorker(t, at.Address))
				}
			})
			got := command(t, strings.Fields(line+by+" --workers "+at.Address)...)
			close(ended)
			fleet.Wait()
			if got.code != want.code {
				t.Errorf("exit code %d, want %d: %s", got.code, want.code, got.stderr)
			}
			sameFiles(t, alone, by)
		})
	}
}

// TestLocalWorkers: the command starts them itself.
func TestLocalWorkers(t *testing.T) {
	dir := t.TempDir()
	alone, by := filepath.Join(dir, "alone"), filepath.Join(dir, "workers")
	succeed(t, strings.Fields(resumable["run"]+alone)...)
	succeed(t, strings.Fields(resumable["run"]+by+" --workers 2")...)
	sameFiles(t, alone, by)
}

// TestWorkersFlag: what is wrong with it is said before anything is written, and without secrets.
func TestWorkersFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	for value, want := range map[string]string{
		"0":                             "1 to 256",
		"257":                           "1 to 256",
		"somewhere":                     "nats://",
		"http://secret@127.0.0.1:1":     "nats",
		"nats://me:secret@127.0.0.1:1":  "NATS at nats://127.0.0.1:1: ",
		"nats://secret@[::1]:1,nats://": "nats://",
	} {
		o := command(t, "run", "--clock", "virtual", "--workers", value)
		if o.code != unusable || !strings.Contains(o.stderr, want) ||
			strings.Count(o.stderr, "\n") != 1 || strings.Contains(o.stderr, "secret") {
			t.Errorf("--workers %s: exit code %d, %q; want %q", value, o.code, o.stderr, want)
		}
	}
	if left, err := filepath.Glob("*"); err != nil || len(left) > 0 {
		t.Errorf("%v is left, error %v", left, err)
	}
}
