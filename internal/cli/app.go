// Package cli is the poolbench command. Run executes it with arguments. Each file has a subcommand,
// whose help is in program/help/. Package options contains flags and makes scenarios from them,
// execute carries out runs, show prints results.
package cli

import (
	"context"
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/program"
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

// Nothing outlives an app, so tests call On as a shell would.
type app struct {
	*execute.Host
	stdin io.Reader
}

func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A write to a pipe without a reader must fail without killing the process, so `poolbench gate
	// … | head` keeps the exit code of its verdict.
	signal.Ignore(syscall.SIGPIPE)
	return RunOn(ctx, execute.NewHost(terminal.New(stdout, stderr)), args, stdin)
}

// Tests use hosts that drive runs in other ways.
func RunOn(ctx context.Context, h *execute.Host, args []string, stdin io.Reader) int {
	files.SweepScratch()
	root := Root(h, stdin)
	args = append([]string{}, rewriteServerArgs(args)...) // cobra would replace nil by os.Args
	h.CommandLine = options.CommandLine(program.Invocation(), root, args)
	root.SetArgs(args)
	return h.Exit(root.ExecuteContext(ctx))
}

func Root(h *execute.Host, stdin io.Reader) *cobra.Command {
	root := (&app{h, stdin}).root()
	root.SetIn(stdin)
	root.SetOut(h.Stdout)
	root.SetErr(h.Stderr)
	return root
}
