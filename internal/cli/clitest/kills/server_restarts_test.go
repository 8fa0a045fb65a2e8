//go:build unix

package kills

import (
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// TestServerRestarts: a directory is the same to the byte when the NATS server of the workers,
// which is one of them, is killed and started again five times, without what it had.
func TestServerRestarts(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	alone, by := filepath.Join(dir, "alone"), filepath.Join(dir, "workers")
	line := "run --quiet --clock virtual --strategy worker_pool,semaphore,serial " +
		"--load 0.5,0.7,0.9 --n 20000 --count 32 --out "
	want := clitest.Command(t, strings.Fields(line+alone)...)
	start := func() *exec.Cmd {
		cmd := clitest.Process(t, nil, "worker", "--listen", at, "--parallel", "1", "--quiet")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for {
			conn, err := net.Dial("tcp", at)
			if err == nil {
				_ = conn.Close()
				return cmd
			}
			if t.Context().Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	server := start()
	clitest.StartWorker(t, "nats://"+at)
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
			_ = server.Process.Kill()
			_ = server.Wait()
			server = start()
		}
		restarts <- n
	}()
	got := clitest.Command(t, strings.Fields(line+by+" --workers nats://"+at)...)
	close(ended)
	if n := <-restarts; n < 5 {
		t.Errorf("the sweep ended after %d restarts", n)
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	if got.Code != want.Code {
		t.Errorf("exit code %d, want %d: %s", got.Code, want.Code, got.Stderr)
	}
	sameFiles(t, alone, by)
}
