//go:build unix

package kills

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/machine/race"
)

// Workers are killed, others join late, and an empty NATS server replaces the first one. The run
// directory must not change by a byte.
func TestWorkers(t *testing.T) {
	count := "20"
	if race.Enabled || testing.Short() {
		count = "3"
	}
	wide := "run --quiet --clock virtual --strategy worker_pool,semaphore,serial " +
		"--load 0.5,0.7,0.8,0.9,0.95 --n 400 --count " + count + " --out "
	commands := []string{wide, resumable["capacity"], resumable["study"]}
	for _, line := range commands {
		t.Run(strings.Fields(line)[0], func(t *testing.T) {
			if testing.Short() && line != wide {
				t.Skip("long: skipped with -short")
			}
			t.Parallel()
			dir := t.TempDir()
			alone, by := filepath.Join(dir, "alone"), filepath.Join(dir, "workers")
			want := clitest.Command(t, strings.Fields(line+alone)...)
			server := startServer(t)
			address := "nats://" + server.at
			ended, restarts := make(chan struct{}), 0
			var fleet sync.WaitGroup
			fleet.Go(func() {
				workers := []*exec.Cmd{clitest.StartWorker(t, address),
					clitest.StartWorker(t, address)}
				for line != wide && !hasRun(by) && !isClosed(ended) {
					time.Sleep(10 * time.Millisecond) // the first server must exist when the command starts
				}
				for range 4 {
					_ = workers[rand.IntN(len(workers))].Process.Kill()
					workers = append(workers, clitest.StartWorker(t, address))
					if line != wide && !isClosed(ended) {
						server.restart()
						restarts++
					}
					select {
					case <-ended:
						return
					case <-time.After(300 * time.Millisecond):
					}
				}
			})
			got := clitest.Command(t, strings.Fields(line+by+" --workers "+address)...)
			close(ended)
			fleet.Wait()
			if line != wide && restarts == 0 {
				t.Error("the server was never restarted")
			}
			if got.Code != want.Code {
				t.Errorf("exit code %d, want %d: %s", got.Code, want.Code, got.Stderr)
			}
			sameFiles(t, alone, by)
		})
	}
}

func hasRun(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "results.txt"))
	return err == nil && strings.Contains(string(text), "\nBenchmark")
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestLocalWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	dir := t.TempDir()
	alone, by := filepath.Join(dir, "alone"), filepath.Join(dir, "workers")
	clitest.Succeed(t, strings.Fields(resumable["run"]+alone)...)
	clitest.Succeed(t, strings.Fields(resumable["run"]+by+" --workers 2")...)
	sameFiles(t, alone, by)
}

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
		o := clitest.Command(t, "run", "--clock", "virtual", "--workers", value)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, want) ||
			strings.Count(o.Stderr, "\n") != 1 || strings.Contains(o.Stderr, "secret") {
			t.Errorf("--workers %s: exit code %d, %q; want %q", value, o.Code, o.Stderr, want)
		}
	}
	if left, err := filepath.Glob("*"); err != nil || len(left) > 0 {
		t.Errorf("%v is left, error %v", left, err)
	}
}
