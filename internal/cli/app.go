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
