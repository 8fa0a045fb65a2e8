package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "poolbench",
		Short: "benchmark ways of bounding concurrency",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q (known: %s)", args[0],
					strings.Join(commandNames(cmd), ", "))
			}
			return nil
		},
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true // there is one of ours
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.runCommand(), a.studyCommand(), a.capacityCommand(), a.calibrateCommand(),
		a.attackCommand(), a.gatewayCommand(), a.serveCommand(), a.compareCommand(),
		a.gateCommand(), a.trendCommand(), a.reportCommand(), a.listCommand(),
		a.newCommand(), a.versionCommand(), a.completionCommand(), a.simulateCommand(),
		a.controlCommand(), a.guardCommand())
	for _, c := range append(root.Commands(), root) {
		c.Flags().SortFlags = false // the order of declaration teaches
		c.Flags().BoolP("help", "h", false, "this help")
		c.Args = checked(c.Args)
		c.Long, c.Example = helpText(c.Name())
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages",
		".FlagUsagesWrapped 80"))
	return root
}

// helpCommand is cobra's, save that an unknown command is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help COMMAND",
		DisableFlagsInUseLine: true,
		Short:                 "explain a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) == 0 {
				return topic.Help()
			}
			return fmt.Errorf("help: unknown command %q (known: %s)", strings.Join(args, " "),
				strings.Join(commandNames(cmd.Root()), ", "))
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return commandNames(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func commandNames(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return names
}

// flagError makes one line of what pflag says, naming the known flags where that helps.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return fmt.Errorf("unknown flag -%s (known: %s)", unknown.GetSpecifiedShortnames(),
			strings.Join(flagNames(cmd), ", "))
	case errors.As(err, &unknown):
		return fmt.Errorf("unknown flag --%s (known: %s)", unknown.GetSpecifiedName(),
			strings.Join(flagNames(cmd), ", "))
	case errors.As(err, &invalid):
		return readError(invalid.GetFlag(), invalid.GetValue(), invalid.Unwrap())
	}
	return err
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	slices.Sort(names)
	return names
}

// operands wants exactly these arguments.
func operands(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > len(names):
			return fmt.Errorf("%s: unexpected argument %q", cmd.Name(), args[len(names)])
		case len(args) < len(names):
			return fmt.Errorf("%s: %s is missing (usage: %s)", cmd.Name(),
				names[len(args)], cmd.UseLine())
		}
		return nil
	}
}

// A choice is a flag that takes one of a few words.
type choice struct {
	value *string
	known []string
}

// choiceFlag declares a flag whose default is the first of the known words.
func choiceFlag(cmd *cobra.Command, value *string, name, doc string, known ...string) {
	*value = known[0]
	cmd.Flags().Var(choice{value, known}, name, doc+": "+strings.Join(known, ", "))
	completeFlag(cmd, name, func() []string { return known })
}

func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c choice) Type() string { return "word" }

func (c choice) Set(text string) error {
	if !slices.Contains(c.known, text) {
		return fmt.Errorf("unknown value %q (known: %s)", text, strings.Join(c.known, ", "))
	}
	*c.value = text
	return nil
}
