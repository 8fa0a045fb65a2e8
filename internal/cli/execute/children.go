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
	"github.com/poolbench/poolbench/internal/text"
)

// children run scenarios under the virtual clock. A child costs some 17 ms of CPU time, more than
// most runs of a study, so it is reused after a faultless run. A fault counts only in a fresh
// child: in a reused one, the run is repeated.
type children struct {
	limit time.Duration // of patience; 0 is the default

	mu    sync.Mutex
	idle  []*child
	apart map[string]bool // strategies that every run of gets a child of its own
}

// run runs the scenario in a child and kills it when ctx ends or patience does. soFar, if not nil,
// receives the interim results of a soak.
func (all *children) run(
	ctx context.Context, s bench.Scenario, soFar func(*bench.Result),
) (*bench.Result, error) {
	if c := all.take(s); c != nil {
		r, err := c.run(ctx, s, all.limit, soFar)
		if all.keep(c, r, err) || ctx.Err() != nil {
			return r, err
		}
		all.setApart(s)
	}
	c, err := startChild(all.limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	r, err := c.run(ctx, s, all.limit, soFar)
	all.keep(c, r, err)
	return r, err
}

// take returns an idle child, or nil if none is idle or none fits the scenario.
func (all *children) take(s bench.Scenario) *child {
	all.mu.Lock()
	defer all.mu.Unlock()
	last := len(all.idle) - 1
	if last < 0 || all.apart[s.Strategy.String()] {
		return nil
	}
	c := all.idle[last]
	all.idle = all.idle[:last]
	return c
}

// keep ends the child unless its run was faultless.
func (all *children) keep(c *child, r *bench.Result, err error) (kept bool) {
	if err != nil || r == nil || len(r.Broken) > 0 {
		c.end()
		return false
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.idle = append(all.idle, c)
	return true
}

func (all *children) setApart(s bench.Scenario) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.apart == nil {
		all.apart = map[string]bool{}
	}
	all.apart[s.Strategy.String()] = true
}

// end ends the idle children.
func (all *children) end() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, c := range all.idle {
		c.end()
	}
	all.idle = nil
}

// A child is the parent's side of a copy of this program that runs scenarios.
type child struct {
	scenarios *json.Encoder
	stdout    *os.File
	messages  *json.Decoder // from stdout
	stderr    beginning
	kill      context.CancelFunc
	ended     chan struct{} // closed when the process is gone, and waiting is there
	waiting   error
}

func startChild(limit time.Duration) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, kill := context.WithCancel(context.Background())
	process := exec.CommandContext(ctx, self, "simulate")
	process.WaitDelay = time.Second // for stderr, which something of the child's may still hold
	ownGroup(process)
	c := &child{stderr: beginning{most: 64 << 10}, kill: kill, ended: make(chan struct{})}
	process.Stderr = &c.stderr
	if limit > 0 {
		process.Env = append(process.Environ(), "POOLBENCH_PATIENCE="+limit.String())
	}
	stdin, err := process.StdinPipe()
	if err != nil {
		kill()
		return nil, err
	}
	// With a pipe of our own, the rest can be read after the child's end. Wait would close it under
	// a reader who gets no processor for as long as WaitDelay.
	stdout, childs, err := os.Pipe()
	if err != nil {
		kill()
		return nil, errors.Join(err, stdin.Close())
	}
	process.Stdout = childs
	err = process.Start()
	_ = childs.Close() // the child has its own
	if err != nil {
		kill()
		_ = stdout.Close() // nothing was ever in it
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
	patience, err := bench.NewPatience(s, limit)
	if err != nil {
		return nil, err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	defer context.AfterFunc(ctx, c.kill)()
	listener := listen(c.messages, patience.Outside(), giveUp, soFar)
	defer listener.end()
	// If the child ended before it read the scenario, its exit explains more than the error of this
	// write.
	writing := c.scenarios.Encode(s.Written())
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
	return nil, fmt.Errorf("%s: the child process gave no answer: %w%s", s.Name(),
		errors.Join(listening, writing), c.stderr.lines())
}

// afterEnd is how long the pipe of a child that has ended may stay open: a process that it left
// behind may hold it.
const afterEnd = 10 * time.Second

// hearOut returns the answer to a scenario, or why there is none when the child has ended.
func (c *child) hearOut(l *listener) (message, error) {
	select {
	case <-l.done:
	case <-c.ended:
		select {
		case <-l.done:
		case <-time.After(afterEnd):
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

// A beginning keeps the first bytes written to it: a stack trace starts with its cause, and may be
// endless.
type beginning struct {
	bytes.Buffer
	most int
}

func (b *beginning) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), b.most-b.Len())])
	return len(p), nil
}

// lines returns the first lines for a message, each on a line of its own.
func (b *beginning) lines() string {
	if s := text.FirstLines(b.String(), 8); s != "" {
		return "\n    " + s
	}
	return ""
}
