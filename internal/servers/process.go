package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

type command struct {
	path string
	args []string
	env  []string // in addition to HOME and PATH
	user string   // user to run as if this process is root; "" means root
}

type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed at its end
}

func (s *Server) launch(c command) (*process, error) {
	log, err := os.OpenFile(s.Log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &process{exec.Command(c.path, c.args...), make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = s.dir, log, log
	p.cmd.Env = append([]string{"HOME=" + s.dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8",
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}, c.env...)
	if err := prepareSystem(p.cmd, c.user); err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() {
		// On Linux a child ends with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // the result is in ProcessState
			close(p.ended)
		}
	}()
	return p, <-started
}

func (p *process) kill() error {
	select {
	case <-p.ended:
	default:
		killTree(p.cmd.Process)
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(ending):
		return fmt.Errorf("%s cannot be killed", filepath.Base(p.cmd.Path))
	}
}

func (s *Server) run(ctx context.Context, c command) error {
	p, err := s.launch(c)
	if err != nil {
		return err
	}
	select {
	case <-p.ended:
	case <-time.After(starting):
		return p.kill()
	case <-ctx.Done():
		_ = p.kill() // its files are not needed
		return ctx.Err()
	}
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("%s: %v%s", filepath.Base(c.path), p.cmd.ProcessState, s.lastWords())
	}
	return nil
}
