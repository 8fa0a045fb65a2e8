package execute

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/progress"
	"github.com/poolbench/poolbench/internal/text"
)

// children runs scenarios under the virtual clock in child processes. A child costs about 17 ms of
// CPU time, more than most runs of a study, so it is reused after a faultless run. A fault counts
// only in a fresh child, so after a fault in a reused child the run is repeated.
type children struct {
	limit time.Duration // limit without progress; 0 means the default

	mu        sync.Mutex
	idle      []*child
	freshOnly map[string]bool // strategies whose runs each need a fresh child
}

// run kills the child when ctx or patience ends. soFar may be nil.
func (all *children) run(
	ctx context.Context, s bench.Scenario, soFar func(*bench.Result),
) (*bench.Result, error) {
	if c := all.acquire(s); c != nil {
		r, err := c.run(ctx, s, all.limit, soFar)
		if all.release(c, r, err) || ctx.Err() != nil {
			return r, err
		}
		all.setFreshOnly(s)
	}
	c, err := startChild(all.limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	r, err := c.run(ctx, s, all.limit, soFar)
	all.release(c, r, err)
	return r, err
}

func (all *children) acquire(s bench.Scenario) *child {
	all.mu.Lock()
	defer all.mu.Unlock()
	last := len(all.idle) - 1
	if last < 0 || all.freshOnly[s.Strategy.String()] {
		return nil
	}
	c := all.idle[last]
	all.idle = all.idle[:last]
	return c
}

// release ends the child unless its run was faultless.
func (all *children) release(c *child, r *bench.Result, err error) (kept bool) {
	if err != nil || r == nil || len(r.Broken) > 0 {
		c.end()
		return false
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.idle = append(all.idle, c)
	return true
}

func (all *children) setFreshOnly(s bench.Scenario) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.freshOnly == nil {
		all.freshOnly = map[string]bool{}
	}
	all.freshOnly[s.Strategy.String()] = true
}

func (all *children) end() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, c := range all.idle {
		c.end()
	}
	all.idle = nil
}

type child struct {
	scenarios *json.Encoder
	stdout    *os.File
	messages  *json.Decoder // from stdout
	stderr    prefixBuffer
	kill      context.CancelFunc
	ended     chan struct{} // closed when the process has ended and waiting is set
	waiting   error
}

func startChild(limit time.Duration) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, kill := context.WithCancel(context.Background())
	process := exec.CommandContext(ctx, self, "simulate")
	process.WaitDelay = time.Second // for stderr, which a process of the child may still hold
	ownGroup(process)
	c := &child{stderr: prefixBuffer{most: 64 << 10}, kill: kill, ended: make(chan struct{})}
	process.Stderr = &c.stderr
	if limit > 0 {
		process.Env = append(process.Environ(), "POOLBENCH_PATIENCE="+limit.String())
	}
	stdin, err := process.StdinPipe()
	if err != nil {
		kill()
		return nil, err
	}
	// With its own pipe, the parent can read the remaining output after the child's end. Wait would
	// close a pipe of Cmd after WaitDelay, even if the reader got no processor in that time.
	stdout, childs, err := os.Pipe()
	if err != nil {
		kill()
		return nil, errors.Join(err, stdin.Close())
	}
	process.Stdout = childs
	err = process.Start()
	_ = childs.Close() // the child has its own copy
	if err != nil {
		kill()
		_ = stdout.Close() // nothing was written to it
		return nil, err
	}
	c.scenarios, c.stdout, c.messages = json.NewEncoder(stdin), stdout, json.NewDecoder(stdout)
	go func() {
		c.waiting = process.Wait()
		close(c.ended)
	}()
	return c, nil
}

func (c *child) run(
	ctx context.Context, s bench.Scenario, limit time.Duration, soFar func(*bench.Result),
) (*bench.Result, error) {
	limit, err := s.HangLimit(limit)
	if err != nil {
		return nil, err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	defer context.AfterFunc(ctx, c.kill)()
	listener := listen(c.messages, progress.NewDetector(limit).Outside(), giveUp, soFar)
	defer listener.end()
	// If the child ended before it read the scenario, its exit explains more than the error of this
	// write.
	writing := c.scenarios.Encode(s.Encode())
	said, listening := c.hearOut(listener)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", s.Name(), context.Cause(ctx))
	case listening == nil && said.Error != "":
		return nil, errors.New(said.Error)
	case listening == nil:
		return said.Result, nil
	case errors.As(c.waiting, &exit):
		return nil, fmt.Errorf("%s: the run crashed its process (%v)%s", s.Name(), c.waiting,
			c.stderr.lines())
	}
	return nil, fmt.Errorf("%s: the child process returned no result: %w%s", s.Name(),
		errors.Join(listening, writing), c.stderr.lines())
}

// A process that an ended child left behind may hold its pipe for so long.
const pipeGrace = 10 * time.Second

// hearOut returns the answer to a scenario, or the reason why the child ended without one.
func (c *child) hearOut(l *listener) (message, error) {
	select {
	case <-l.done:
	case <-c.ended:
		select {
		case <-l.done:
		case <-time.After(pipeGrace):
		}
		_ = c.stdout.Close() // it was only read
		<-l.done
	}
	if l.err != nil {
		<-c.ended
	}
	return l.said, l.err
}

func (c *child) end() {
	c.kill()
	<-c.ended
	_ = c.stdout.Close() // it was only read
}

// prefixBuffer keeps the first bytes written to it, because a stack trace starts with its cause and
// may be endless.
type prefixBuffer struct {
	bytes.Buffer
	most int
}

func (b *prefixBuffer) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), b.most-b.Len())])
	return len(p), nil
}

func (b *prefixBuffer) lines() string {
	if s := text.FirstLines(b.String(), 8); s != "" {
		return "\n    " + s
	}
	return ""
}
