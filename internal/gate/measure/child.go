package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"time"
)

type command struct {
	argv []string
	args []string
	dir  string
	env  []string // in addition to the gate's environment

	count func() (*counter, error) // opens the instruction counter; nil for none
	guard *guard

	sign string // output that restarts the time limit; "" for none
}

type finished struct {
	stdout, stderr []byte // the ends of the outputs if they are long
	instructions   uint64 // instructions executed in user mode; 0 if they are not counted
	took           time.Duration
}

type failed struct{ state string }

func (e *failed) Error() string { return e.state }

// run returns a *failed if the process failed, and another error if it did not start or was
// stopped.
func (c command) run(ctx context.Context, limit time.Duration) (finished, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	overdue := time.AfterFunc(limit, func() { cancel(&overdueError{limit}) })
	defer overdue.Stop()
	runtime.LockOSThread() // the counter applies to children of this thread
	defer runtime.UnlockOSThread()
	child := exec.CommandContext(ctx, c.argv[0], slices.Concat(c.argv[1:], c.args)...)
	child.Dir = c.dir
	child.Env = append(child.Environ(), c.env...)
	child.WaitDelay = time.Second // another process may still have the pipe open
	var stdout, stderr tailBuffer
	if c.sign != "" {
		stdout.seen = func(p []byte) {
			if bytes.Contains(p, []byte(c.sign)) {
				overdue.Reset(limit)
			}
		}
	}
	child.Stdout, child.Stderr = &stdout, &stderr
	var counts *counter
	if c.count != nil {
		if opened, err := c.count(); err == nil {
			counts = opened
			defer counts.close()
		}
	}
	began := time.Now()
	err := c.guard.run(child)
	endGroup(child)
	f := finished{stdout: stdout.bytes(), stderr: stderr.bytes(), took: time.Since(began)}
	if ctx.Err() != nil {
		return f, context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return f, &failed{exit.String()}
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return f, errors.New("it has ended, but a process that it started keeps its output open")
	} else if err != nil {
		return f, err
	}
	if counts != nil {
		f.instructions = counts.read()
	}
	return f, nil
}

type overdueError struct{ limit time.Duration }

func (e *overdueError) Error() string { return fmt.Sprintf("no end after %v", e.limit) }

// Results come last, and a benchmark may print without limit before them.
type tailBuffer struct {
	buffer bytes.Buffer
	seen   func([]byte) // called for each write; may be nil
}

const maxOutput = 1 << 20

func (e *tailBuffer) Write(p []byte) (int, error) {
	if e.seen != nil {
		e.seen(p)
	}
	e.buffer.Write(p)
	if n := e.buffer.Len(); n > 2*maxOutput {
		e.buffer.Next(n - maxOutput)
	}
	return len(p), nil
}

func (e *tailBuffer) bytes() []byte { return e.buffer.Bytes() }
