package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

var shells = []string{"bash", "fish", "powershell", "zsh"}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "completion SHELL",
		DisableFlagsInUseLine: true,
		Short:                 "print the completion script: " + strings.Join(shells, ", "),
		Args:                  operands("SHELL"),
		ValidArgs:             shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			}
			return fmt.Errorf("completion: unknown shell %q (known: %s)", args[0],
				strings.Join(shells, ", "))
		},
	}
}

// completeFlag offers values for a flag; in a comma list, for its last part. It panics on a flag
// that cmd does not have.
func completeFlag(cmd *cobra.Command, flag string, values func() []string) {
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
