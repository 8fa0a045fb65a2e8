//go:build unix

package kills

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/fleet/hub"
)

// serverProcess is a worker that is also the NATS server. It restarts at the same address, without
// its files.
type serverProcess struct {
	*testing.T
	at  string // host:port
	cmd *exec.Cmd
}

func startServer(t *testing.T) *serverProcess {
	t.Helper()
	s := &serverProcess{T: t, at: freeAddress(t)}
	s.start()
	t.Cleanup(s.kill)
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	return free.Addr().String()
}

// start may be called from any goroutine.
func (s *serverProcess) start() {
	s.cmd = clitest.Process(s.T, nil, "worker", "--listen", s.at, "--parallel", "1", "--quiet")
	if err := s.cmd.Start(); err != nil {
		s.Error(err)
		return
	}
	for limit := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", s.at)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(limit) {
			s.Error(err)
			return
		}
	}
}

func (s *serverProcess) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
}

func (s *serverProcess) restart() {
	s.kill()
	s.start()
}

// Restarts of the NATS server must not change the run directory by a byte.
func TestServerRestarts(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	dir := t.TempDir()
	alone, by := filepath.Join(dir, "alone"), filepath.Join(dir, "workers")
	line := "run --quiet --clock virtual --strategy worker_pool,semaphore,serial " +
		"--load 0.5,0.7,0.9 --n 20000 --count 32 --out "
	want := clitest.Command(t, strings.Fields(line+alone)...)
	server := startServer(t)
	clitest.StartWorker(t, "nats://"+server.at)
	ended, restarts := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; n < 5; n++ {
			select {
			case <-ended:
				restarts <- n
				return
			case <-time.After(time.Second):
			}
			server.restart()
		}
		restarts <- n
	}()
	got := clitest.Command(t, strings.Fields(line+by+" --workers nats://"+server.at)...)
	close(ended)
	if n := <-restarts; n < 5 {
		t.Errorf("the sweep ended after %d restarts", n)
	}
	if got.Code != want.Code {
		t.Errorf("exit code %d, want %d: %s", got.Code, want.Code, got.Stderr)
	}
	sameFiles(t, alone, by)
}

// Every request must be sent exactly once. If the server stays down, the command must report this
// and end.
func TestAgentsServerRestarts(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for name, back := range map[string]bool{"restarted": true, "gone": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := freeAddress(t)
			server, err := hub.StartAt(at, "")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = server.Close() }() // fails if the server is closed already
			for range 2 {
				clitest.StartWorker(t, server.Address)
			}
			var requests atomic.Int64
			meddled := make(chan error, 1)
			target := httptest.NewServer(http.HandlerFunc(
				func(http.ResponseWriter, *http.Request) {
					if requests.Add(1) != 100 {
						return
					}
					go func() {
						err := server.Close()
						if err == nil && back {
							server, err = hub.StartAt(at, "")
						}
						meddled <- err
					}()
				}))
			defer target.Close()
			o := clitest.Command(t, "attack", target.URL, "--rate", "100", "--n", "600",
				"--agents", "2", "--nats", server.Address, "--out", filepath.Join(t.TempDir(), "x"))
			if err := <-meddled; err != nil {
				t.Fatal(err)
			}
			lost := strings.Contains(o.Stdout+o.Stderr, "lost")
			switch {
			case back && (o.Code == clitest.Unusable || lost || requests.Load() != 600):
				t.Errorf("%d requests, exit code %d: %s\n%s", requests.Load(), o.Code, o.Stdout,
					o.Stderr)
			case !back && (o.Code != clitest.Unusable ||
				!strings.Contains(o.Stderr, "the NATS server could not be reached for 5s")):
				t.Errorf("exit code %d: %s", o.Code, o.Stderr)
			}
		})
	}
}
