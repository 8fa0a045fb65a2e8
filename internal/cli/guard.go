package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/gate/measure"
)

// guardCommand is the process that cleans up after a gate that was killed.
func (a *app) guardCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "guard DIR",
		Short:  "end and remove what a gate has left that was killed (for poolbench itself)",
		Hidden: true,
		Args:   operands("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := measure.Guard(cmd.Context(), a.stdin, args[0]); err != nil {
				return fmt.Errorf("guard: %w", err)
			}
			return nil
		},
	}
}
