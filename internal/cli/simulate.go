package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
)

// simulateCommand is the process that runs take place in under the virtual clock: a strategy that
// panics or spins takes it along, so it costs one run.
func (a *app) simulateCommand() *cobra.Command {
	return flags.Hidden("simulate [flags]", "run scenarios in words (JSON on stdin; for poolbench itself)",
		func(ctx context.Context, _ []string) error { return a.Simulate(ctx, a.stdin) })
}
