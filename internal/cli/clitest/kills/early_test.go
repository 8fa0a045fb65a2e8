//go:build unix

package kills

import (
	"net"
	"os"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/fleet/hub"
)

// SIGINT must end a worker both before and after its server has started.
func TestWorkerBeforeServer(t *testing.T) {
	for _, comes := range []bool{true, false} {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		at := free.Addr().String()
		if err := free.Close(); err != nil {
			t.Fatal(err)
		}
		cmd, lines := clitest.StartAndAwait(t, nil, "waiting for the server", "worker", "--nats", "nats://"+at)
		if comes {
			server, err := hub.StartAt(at, "")
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			clitest.Await(t, lines, "ready for")
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if s := clitest.Status(t, cmd, lines); s.ExitStatus() != clitest.Interrupted {
			t.Errorf("ended with %v", s)
		}
	}
}
