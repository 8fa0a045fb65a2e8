package execute

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/fleet"
	"github.com/poolbench/poolbench/internal/fleet/hub"
)

// localFleet is a NATS server in this process whose workers are child processes. Workers read its
// address from standard input, which no other user of the machine can see. They end when standard
// input closes, which happens however this process ends.
type localFleet struct {
	*hub.Local
	workers sync.WaitGroup
}

// work starts n workers, and replaces those that end, until ctx ends. It calls giveUp when they
// fail to start, and when the server cannot write to its files.
func (f *localFleet) work(ctx context.Context, n int, giveUp context.CancelCauseFunc) {
	f.workers.Go(func() {
		f.Watch(ctx, func(err error) { giveUp(&HubError{Cause: err}) })
	})
	for range n {
		f.workers.Go(func() {
			if err := f.keepWorker(ctx, max(runtime.GOMAXPROCS(0)/n, 1)); err != nil {
				giveUp(fmt.Errorf("--workers: %w", err))
			}
		})
	}
}

type HubError struct{ Cause error }

func (e *HubError) Error() string {
	return fmt.Sprintf("the NATS server of this command failed: %v", e.Cause)
}

// A worker that ends within soon has not begun to work. After maxEarly of them in a row, the
// command gives up.
const (
	soon     = time.Second
	maxEarly = 3
)

func (f *localFleet) keepWorker(ctx context.Context, slots int) error {
	for early := 0; ; {
		begun := time.Now()
		err := f.runWorker(ctx, slots)
		switch {
		case ctx.Err() != nil:
			return nil
		case time.Since(begun) > soon:
			early = 0
		default:
			if early++; early == maxEarly {
				return fmt.Errorf("a worker ended at once: %w", err)
			}
		}
	}
}

func (f *localFleet) runWorker(ctx context.Context, slots int) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	worker := exec.Command(program, "worker", "--nats", "-", "--quiet", "--parallel",
		strconv.Itoa(slots))
	ownGroup(worker)
	said := prefixBuffer{most: 64 << 10}
	worker.Stderr = &said
	worker.WaitDelay = time.Second
	stdin, err := worker.StdinPipe()
	if err != nil {
		return err
	}
	if err := worker.Start(); err != nil {
		return err
	}
	end := context.AfterFunc(ctx, func() { _ = stdin.Close() }) // Wait closes it in any case
	defer end()
	_, writing := fmt.Fprintln(stdin, f.Address)
	err = errors.Join(writing, worker.Wait())
	if text := strings.TrimSpace(said.lines()); text != "" {
		err = errors.Join(err, errors.New(text))
	}
	return err
}

func (f *localFleet) close() error {
	f.workers.Wait()
	return f.Close()
}

// link connects a command to its workers.
type link struct {
	name    string // name of the flag
	self    fleet.Member
	address string
	conn    *hub.Conn
	local   *localFleet // nil if other processes have started them
}

// If the address is "", open starts a server in this process.
func (l *link) open(address string) (err error) {
	if l.self, err = Self(); err != nil {
		return err
	}
	if l.address = address; address == "" {
		server, err := hub.StartLocal()
		if err != nil {
			return err
		}
		l.local, l.address = &localFleet{Local: server}, server.Address
	}
	l.conn, err = hub.Connect(l.address)
	return err
}

func (l *link) close(say func(string)) {
	if l.conn != nil {
		l.conn.Close()
	}
	if l.local != nil {
		if err := l.local.close(); err != nil {
			say(fmt.Sprintf("%s: %v", l.name, err))
		}
	}
}
