// Package ci contains the commands for CI: compare, gate and trend. It does not import strategies
// or workloads, so a program with only these commands is small.
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

type app struct {
	*terminal.Printer
	stdin   io.Reader
	metrics func() []string // for the completion of --metric

	explorer Explorer // for the page that compare writes; may be nil
}

// A gate starts its own program by the hidden commands.
func Commands(
	p *terminal.Printer, stdin io.Reader, metrics func() []string, explorer Explorer,
) (shown, hidden []*cobra.Command) {
	a := &app{p, stdin, metrics, explorer}
	return []*cobra.Command{a.compareCommand(), a.gateCommand(), a.trendCommand()},
		[]*cobra.Command{a.controlCommand(), a.guardCommand()}
}

func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE) // as in poolbench: `benchgate gate … | head` keeps its exit code
	files.SweepScratch()
	p := terminal.New(stdout, stderr)
	p.Program = "benchgate"
	root := Root(p, stdin)
	root.SetArgs(append([]string{}, args...)) // cobra would replace nil by os.Args
	return p.Exit(root.ExecuteContext(ctx))
}

func Root(p *terminal.Printer, stdin io.Reader) *cobra.Command {
	shown, hidden := Commands(p, stdin, metrics, nil)
	root := program.Root(p, "test by a module's own benchmarks whether a change is worse",
		[]program.Group{{Title: "CI", Commands: shown}, {Title: "More", Commands: []*cobra.Command{
			program.VersionCommand(p), program.CompletionCommand(p)}}}, hidden)
	root.SetIn(stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	return root
}

func metrics() []string { return []string{"sec/op", "B/op", "allocs/op", "B/s"} }
