// Package cli is the poolbench command: Run executes it with arguments, and each file has a
// subcommand, whose help is in help/. They share these packages:
//
//   - options: flags, and the scenarios, attacks and plans made of them
//   - execute: carries out runs and attacks, and writes their files
//   - live: the page, metrics and stream of a run while it goes on
//   - show: prints results
//   - terminal: output, status line, exit codes, signals
package cli

import (
	"context"
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/files"

	// what is too heavy for every user of package bench registers itself
	_ "github.com/poolbench/poolbench/bench/attack/http3"
	_ "github.com/poolbench/poolbench/bench/attack/rpc"
	_ "github.com/poolbench/poolbench/strategies/durable"
	_ "github.com/poolbench/poolbench/strategies/peers"
	_ "github.com/poolbench/poolbench/workloads/regex"
	_ "github.com/poolbench/poolbench/workloads/rpc"
	_ "github.com/poolbench/poolbench/workloads/sql"
)

// An app is one call of the command. Nothing outlives it, so tests call On as a shell would.
type app struct {
	*execute.Host
	stdin io.Reader
}

// Run is the whole command: it returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A write to a pipe without a reader shall fail and not kill: `poolbench gate … | head` keeps
	// the code of its verdict.
	signal.Ignore(syscall.SIGPIPE)
	return On(ctx, execute.NewHost(terminal.New(stdout, stderr)), args, stdin)
}

// On is the command on a host of the caller's: tests have some that drive runs in their own way.
func On(ctx context.Context, h *execute.Host, args []string, stdin io.Reader) int {
	files.SweepScratch()
	root := Root(h, stdin)
	root.SetArgs(append([]string{}, ofServer(args)...)) // cobra takes nil for os.Args
	return h.Exit(root.ExecuteContext(ctx))
}

// Root is the command with all subcommands, for whoever describes them.
func Root(h *execute.Host, stdin io.Reader) *cobra.Command {
	root := (&app{h, stdin}).root()
	root.SetIn(stdin)
	root.SetOut(h.Stdout)
	root.SetErr(h.Stderr)
	return root
}
