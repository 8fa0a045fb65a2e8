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
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/files/scratch"

	// what is too heavy for every user of package bench registers itself
	_ "github.com/poolbench/poolbench/strategies/durable"
	_ "github.com/poolbench/poolbench/strategies/peers"
	_ "github.com/poolbench/poolbench/workloads/regex"
	_ "github.com/poolbench/poolbench/workloads/sql"
)

// An app is one call of the command. Nothing outlives it, so tests call run as a shell would.
type app struct {
	*host
	stdin io.Reader
}

// Run is the whole command: it returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A write to a pipe without a reader shall fail and not kill: `poolbench gate … | head` keeps
	// the code of its verdict.
	signal.Ignore(syscall.SIGPIPE)
	return newApp(stdin, stdout, stderr).run(ctx, args)
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{newHost(terminal.New(stdout, stderr)), stdin}
}

func (a *app) run(ctx context.Context, args []string) int {
	scratch.Sweep()
	root := a.root()
	root.SetArgs(append([]string{}, ofServer(args)...)) // cobra takes nil for os.Args
	root.SetIn(a.stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	return a.Exit(root.ExecuteContext(ctx))
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
