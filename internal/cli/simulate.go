package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
)

// A strategy that panics or spins ends only this child process and costs only one run.
func (a *app) simulateCommand() *cobra.Command {
	return flags.Hidden("simulate [flags]", "run scenarios in words (JSON on stdin; for poolbench itself)",
		func(ctx context.Context, _ []string) error { return a.Simulate(ctx, a.stdin) })
}
