package cli

import (
	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
)

// simulateCommand is the process that runs take place in under the virtual clock: a strategy that
// panics or spins takes it along, so it costs one run.
func (a *app) simulateCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "simulate [flags]",
		Short:  "run scenarios in words (JSON on stdin; for poolbench itself)",
		Hidden: true,
		Args:   flags.Operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Simulate(cmd.Context(), a.stdin)
		},
	}
}
