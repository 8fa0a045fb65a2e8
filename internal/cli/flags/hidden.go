package flags

import (
	"context"

	"github.com/spf13/cobra"
)

// Hidden returns a command that the help does not show, by which a program starts itself.
func Hidden(
	use, short string, run func(ctx context.Context, args []string) error, operands ...string,
) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Hidden: true, Args: Operands(operands...),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) }}
}
