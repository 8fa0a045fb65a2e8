package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/options"
)

// simulateCommand is the process that runs take place in under the virtual clock: a strategy that
// panics or spins takes it along, so it costs one run.
func (a *app) simulateCommand() *cobra.Command {
	return hidden("simulate [flags]", "run scenarios in words (JSON on stdin; for poolbench itself)",
		func(ctx context.Context, _ []string) error { return a.Simulate(ctx, a.stdin) })
}

// hidden is a command that poolbench starts itself.
func hidden(
	use, short string, run func(ctx context.Context, args []string) error, operands ...string,
) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Hidden: true, Args: options.Operands(operands...),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) }}
}
