package cli

import (
	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/ci"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/program"
	"github.com/poolbench/poolbench/reports/page"
)

func (a *app) root() *cobra.Command {
	forCI, helpers := ci.Commands(a.Printer, a.stdin, options.MetricNames, page.Explorer)
	return program.Root(a.Printer, "benchmark ways to limit concurrency", []program.Group{
		{Title: "Measure", Commands: []*cobra.Command{a.runCommand(), a.studyCommand(),
			a.attackCommand(), a.gatewayCommand(), a.crashCommand(), a.calibrateCommand()}},
		{Title: "Decide", Commands: []*cobra.Command{a.adviseCommand(), a.capacityCommand(),
			a.whyCommand(), a.traceCommand()}},
		{Title: "CI", Commands: forCI},
		{Title: "More", Commands: []*cobra.Command{a.newCommand(), a.listCommand(),
			a.reportCommand(), a.mergeCommand(), a.serveCommand(), a.workerCommand(),
			program.VersionCommand(a.Printer), program.CompletionCommand(a.Printer)}},
	}, append(helpers, // the command behind `capacity URL`, and those of children
		a.serverCapacityCommand(), a.simulateCommand(), a.crashingCommand()))
}
