// Package cli is the poolbench command. Run executes it with arguments. Each file has a subcommand,
// whose help is in help/. The subcommands share these packages:
//
//   - options: flags, and the scenarios, attacks and plans made from them
//   - execute: carries out runs and attacks, and writes their files
//   - live: the page, metrics and stream of a run in progress
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

	// These protocols register themselves. They are too heavy for every user of package bench.
	_ "github.com/poolbench/poolbench/bench/attack/http3"
	_ "github.com/poolbench/poolbench/bench/attack/rpc"
	_ "github.com/poolbench/poolbench/strategies/durable"
	_ "github.com/poolbench/poolbench/strategies/peers"
	_ "github.com/poolbench/poolbench/workloads/regex"
	_ "github.com/poolbench/poolbench/workloads/rpc"
	_ "github.com/poolbench/poolbench/workloads/sql"
)

// app is one call of the command. Nothing outlives it, so tests call On as a shell would.
type app struct {
	*execute.Host
	stdin io.Reader
}

// Run runs the command and returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A write to a pipe without a reader must fail without killing the process, so that `poolbench
	// gate … | head` keeps the exit code of its verdict.
	signal.Ignore(syscall.SIGPIPE)
	return On(ctx, execute.NewHost(terminal.New(stdout, stderr)), args, stdin)
}

// On runs the command on the given host. Tests use hosts that drive runs in other ways.
func On(ctx context.Context, h *execute.Host, args []string, stdin io.Reader) int {
	files.SweepScratch()
	root := Root(h, stdin)
	root.SetArgs(append([]string{}, rewriteServerArgs(args)...)) // cobra would replace nil by os.Args
	return h.Exit(root.ExecuteContext(ctx))
}

// Root returns the command with all subcommands, for generators of documentation.
func Root(h *execute.Host, stdin io.Reader) *cobra.Command {
	root := (&app{h, stdin}).root()
	root.SetIn(stdin)
	root.SetOut(h.Stdout)
	root.SetErr(h.Stderr)
	return root
}
