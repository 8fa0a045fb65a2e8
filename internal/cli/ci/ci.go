// Package ci has the commands that decide in CI: compare, gate and trend. It imports neither
// strategies nor workloads, so that a program with these commands alone stays small.
package ci

import (
	"context"
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/program"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/files"
)

// An app is one call of a program with these commands.
type app struct {
	*terminal.Printer
	stdin   io.Reader
	metrics func() []string // for the completion of --metric

	explorer Explorer // of the page that compare writes; may be nil
}

// Commands returns the commands, and the hidden ones as which a gate starts the program itself.
func Commands(
	p *terminal.Printer, stdin io.Reader, metrics func() []string, explorer Explorer,
) (shown, hidden []*cobra.Command) {
	a := &app{p, stdin, metrics, explorer}
	return []*cobra.Command{a.compareCommand(), a.gateCommand(), a.trendCommand()},
		[]*cobra.Command{a.controlCommand(), a.guardCommand()}
}

// Run is the whole command benchgate: it returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE) // as poolbench does: `benchgate gate … | head` keeps its code
	files.SweepScratch()
	p := terminal.New(stdout, stderr)
	p.Program = "benchgate"
	root := Root(p, stdin)
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for os.Args
	return p.Exit(root.ExecuteContext(ctx))
}

// Root is the command benchgate.
func Root(p *terminal.Printer, stdin io.Reader) *cobra.Command {
	shown, hidden := Commands(p, stdin, metrics, nil)
	root := program.Root(p, "decide by a module's own benchmarks whether a change is worse",
		[]program.Group{{Title: "CI", Commands: shown}, {Title: "More", Commands: []*cobra.Command{
			program.VersionCommand(p), program.CompletionCommand(p)}}}, hidden)
	root.SetIn(stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	return root
}

// metrics returns the metrics of package testing.
func metrics() []string { return []string{"sec/op", "B/op", "allocs/op", "B/s"} }
