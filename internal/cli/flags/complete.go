package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/text"
)

func Operands(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > len(names):
			return fmt.Errorf("%s: unexpected argument %q (usage: %s)", cmd.Name(),
				text.DiscreetText(args[len(names)]), cmd.UseLine())
		case len(args) < len(names):
			return fmt.Errorf("%s: %s is missing (usage: %s)", cmd.Name(),
				names[len(args)], cmd.UseLine())
		}
		return nil
	}
}

func CompleteArgs(more bool, values func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		if len(args) > 0 && !more {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return values(), cobra.ShellCompDirectiveNoFileComp
	}
}

// Complete completes a flag's value, or the last part of a comma-separated list.
func Complete(cmd *cobra.Command, flag string, values func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag,
		func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			before := typed[:strings.LastIndexByte(typed, ',')+1]
			var all []cobra.Completion
			for _, v := range values() {
				if strings.HasPrefix(before+v, typed) {
					all = append(all, before+v)
				}
			}
			return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		})
	if err != nil {
		panic(err)
	}
}
