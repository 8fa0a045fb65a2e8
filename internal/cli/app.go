// Package cli is the command: flags, names, progress, exit codes. A file is a subcommand, or what
// several share.
//
// # Size
//
// With a dozen and a half subcommands there are more files than elsewhere. Nearly all of them work
// on the runs of one execution (execute.go), and packages of their own would hand its fields about.
// What needs none of them, as tables do, is elsewhere.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/plain"

	// what is too heavy for every user of package bench registers itself
	_ "github.com/poolbench/poolbench/strategies/durable"
	_ "github.com/poolbench/poolbench/strategies/peers"
	_ "github.com/poolbench/poolbench/workloads/regex"
	_ "github.com/poolbench/poolbench/workloads/sql"
)

// An app is one call of the command. Nothing outlives it, so tests call run as a shell would.
type app struct {
	stdin  io.Reader
	stdout *output
	screen *os.File // stdout, where it is a terminal
	stderr io.Writer
	drive  bench.RunFunc // how a real-clock scenario is run in this process
	grace  time.Duration // that such a run gets to return once it is told to
}

// Run is the whole command: it returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A write to a pipe without a reader shall fail and not kill: `poolbench gate … | head` keeps
	// the code of its verdict.
	signal.Ignore(syscall.SIGPIPE)
	return newApp(stdin, stdout, stderr).run(ctx, args)
}

// newApp has whatever is printed pass through package plain: the names in it are others'.
func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	a := &app{stdin: stdin, stderr: plain.NewWriter(stderr), drive: bench.Run, grace: stopGrace}
	if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.screen = f
		if os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
			stdout = painter{f}
		}
	}
	a.stdout = &output{to: plain.NewWriter(stdout)}
	return a
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(append([]string{}, ofServer(args)...)) // cobra takes nil for os.Args
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.exit(root.ExecuteContext(ctx))
}

// Exit codes. When several apply, the first in the order of severity counts.
const (
	fine        = 0
	regression  = 1   // worse by more than the margin
	unusable    = 2   // bad usage or input; a result that is missing
	undecided   = 3   // inconclusive, too few samples, a measurement that is INVALID
	interrupted = 130 // SIGINT or SIGTERM; what was written is whole and marked partial
)

var severity = []int{interrupted, unusable, regression, undecided, fine}

// severest picks the code that counts.
func severest(codes ...int) int {
	for _, s := range severity {
		if slices.Contains(codes, s) {
			return s
		}
	}
	return fine
}

// ended is what a command returns that has shown what came out and has earned those codes: nil for
// fine.
func ended(shown error, codes []int) error {
	if shown != nil && !errors.Is(shown, errStdout) { // which keeps its own error
		return shown
	}
	if code := severest(codes...); code != fine {
		return exitCode(code)
	}
	return nil
}

// An exitCode ends the command with that code; whatever there was to say has been said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// exit says what is wrong, every complaint on a line of its own, and returns the exit code.
func (a *app) exit(err error) int {
	code := fine
	var said exitCode
	switch {
	case errors.As(err, &said):
		code = int(said)
	case err != nil && !errors.Is(err, errStdout):
		a.complain(err)
		code = unusable
	}
	if a.stdout.err != nil {
		a.complain(a.stdout.err)
		code = severest(code, unusable)
	}
	return code
}

// mostLinesOfError is how many lines of one error are printed: who has made that many mistakes has
// made one of them often.
const mostLinesOfError = 20

// complain writes an error to stderr, a line for each line of it. An error of stderr itself has
// nobody left to be told.
func (a *app) complain(err error) {
	// of several strategies each may complain of the same
	lines := slices.Compact(strings.Split(err.Error(), "\n"))
	if left := len(lines) - mostLinesOfError; left > 1 {
		lines = append(lines[:mostLinesOfError], fmt.Sprintf("and %d more", left))
	}
	for _, line := range lines {
		fmt.Fprintf(a.stderr, "poolbench: %s\n", line)
	}
}

// complainOf is complain, where there is an error.
func (a *app) complainOf(err error) {
	if err != nil {
		a.complain(err)
	}
}

// An output is standard output with a memory: its first error sticks until the end of the command,
// also where a caller such as cobra's help does not look. A closed pipe is no error: its reader has
// seen enough, as `poolbench list | head` shows.
type output struct {
	to     io.Writer
	err    error
	closed bool
}

var errStdout = errors.New("standard output")

func (o *output) Write(p []byte) (int, error) {
	if o.closed {
		return len(p), nil
	}
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		o.closed = true
		return len(p), nil
	}
	if err != nil {
		o.err = fmt.Errorf("%w: %w", errStdout, err)
		return n, o.err
	}
	return n, nil
}

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP ends, but for a SIGHUP
// that nohup has it ignore. Then signals get their default back, so that a second one ends the
// process; say, where there is one, tells the user so. done is for when the work is over.
func interruptible(ctx context.Context, say func(line string)) (_ context.Context, done func()) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	hush := context.AfterFunc(ctx, func() {
		stop()
		if say != nil {
			say("stopping: the run under way is given up; interrupt again to end at once")
		}
	})
	return ctx, func() { hush(); stop() }
}
