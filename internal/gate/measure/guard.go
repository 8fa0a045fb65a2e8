package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/poolbench/poolbench/internal/files"
)

// guard is a process that kills the remaining processes and removes the remaining files of a gate
// when its input ends, so also if the gate is killed. Pdeathsig exists only on Linux, and does not
// reach the descendants of a child. It protects each child until the guard knows it.
type guard struct {
	process *exec.Cmd
	input   io.WriteCloser

	mu sync.Mutex // one line at a time
}

func startGuard(command []string, repository, dir string) (*guard, error) {
	args := append(slices.Clone(command[1:]), dir)
	g := &guard{process: exec.CommandContext(context.Background(), command[0], args...)}
	g.process.Dir = repository
	ownGroup(g.process)
	var err error
	if g.input, err = g.process.StdinPipe(); err == nil {
		err = g.process.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting the process that cleans up after a killed gate: %w", err)
	}
	return g, nil
}

func (g *guard) close() error {
	if g == nil {
		return nil
	}
	return errors.Join(g.input.Close(), g.process.Wait())
}

// report informs the guard that a process group has begun (+) or ended (-). A nil guard ignores it.
func (g *guard) report(sign rune, group int) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := fmt.Fprintf(g.input, "%c%d\n", sign, group); err != nil {
		return fmt.Errorf("the process that cleans up after a killed gate has ended: %w", err)
	}
	return nil
}

func (g *guard) run(child *exec.Cmd) error {
	runtime.LockOSThread() // required by dieWithUs
	defer runtime.UnlockOSThread()
	ownGroup(child)
	dieWithUs(child)
	if err := child.Start(); err != nil {
		return err
	}
	group := child.Process.Pid
	told := g.report('+', group)
	if told != nil {
		endGroup(child)
	}
	err := child.Wait()
	if told != nil {
		return told
	}
	// If the guard has ended, starting the next child returns the error.
	_ = g.report('-', group)
	return err
}

// Guard is the main function of the process of Options.Guard. The working directory must be in the
// repository.
func Guard(ctx context.Context, in io.Reader, dir string) error {
	// the gate's end also ends the guard, after the gate's own cleanup
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	groups := map[int]bool{}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		group, err := strconv.Atoi(strings.TrimLeft(lines.Text(), "+-"))
		if err != nil || group <= 1 {
			return fmt.Errorf("no group of processes: %q", lines.Text())
		}
		if strings.HasPrefix(lines.Text(), "+") {
			groups[group] = true
		} else {
			delete(groups, group)
		}
	}
	for group := range groups {
		killGroup(group)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r, err := openRepository(ctx, ".")
	if err != nil {
		return err
	}
	// The system releases the gate's lock slightly later than its end of the pipe, and a killed
	// process may still be writing.
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		files.RemoveScratch(dir)
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return pruneWorktrees(ctx, r)
		}
		if time.Since(began) > removing {
			return fmt.Errorf("%s cannot be removed", dir)
		}
	}
}
