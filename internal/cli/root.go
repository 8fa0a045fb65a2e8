package cli

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/text"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "poolbench",
		Short: "benchmark ways of bounding concurrency",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q %s", args[0],
					text.Known(args[0], commandNames(cmd)))
			}
			return nil
		},
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true // there is one of ours
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpCommandGroupID("More")
	root.SetFlagErrorFunc(options.Error)
	root.Version = execute.ReadVersion().String()
	root.Flags().Bool("version", false, "print the version")
	root.SetVersionTemplate("{{.Version}}\n")
	for _, g := range a.groups() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.serverCapacityCommand(), a.simulateCommand(), a.crashingCommand(),
		a.controlCommand(), a.guardCommand()) // hidden: how `capacity URL` goes, and children
	for _, c := range root.Commands() {
		c.DisableFlagsInUseLine = true // Use has them
	}
	for _, c := range append(root.Commands(), root) {
		c.Flags().SortFlags = false // the order of declaration teaches
		c.Flags().BoolP("help", "h", false, "this help")
		c.Args = options.Checked(c.Args)
		if run := c.RunE; run != nil {
			c.RunE = func(cmd *cobra.Command, args []string) error {
				return options.Named(cmd, options.Misplaced(cmd, args, run(cmd, args)))
			}
		}
		c.Long, c.Example = helpText(c.Name())
	}
	root.SetUsageFunc(narrow(root.UsageFunc()))
	return root
}

// A group is commands that the help lists together.
type group struct {
	title    string
	commands []*cobra.Command
}

func (a *app) groups() []group {
	return []group{
		{"Measure", []*cobra.Command{a.runCommand(), a.studyCommand(), a.attackCommand(),
			a.gatewayCommand(), a.crashCommand(), a.calibrateCommand()}},
		{"Decide", []*cobra.Command{a.adviseCommand(), a.capacityCommand(), a.whyCommand(),
			a.traceCommand()}},
		{"CI", []*cobra.Command{a.compareCommand(), a.gateCommand(), a.trendCommand()}},
		{"More", []*cobra.Command{a.newCommand(), a.listCommand(), a.reportCommand(),
			a.mergeCommand(), a.serveCommand(), a.workerCommand(), a.versionCommand(),
			a.completionCommand()}},
	}
}

// narrow has cobra's text about usage with flags in lines of 80.
func narrow(usage func(*cobra.Command) error) func(*cobra.Command) error {
	return func(c *cobra.Command) error {
		var text strings.Builder
		out := c.OutOrStderr()
		c.SetOut(&text)
		err := usage(c)
		c.SetOut(out)
		all := c.LocalFlags()
		_, writing := io.WriteString(out, strings.Replace(text.String(),
			strings.TrimSpace(all.FlagUsages()), strings.TrimSpace(all.FlagUsagesWrapped(80)), 1))
		return errors.Join(err, writing)
	}
}

// helpCommand is cobra's, save that an unknown command is an error.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:                   "help COMMAND",
		DisableFlagsInUseLine: true,
		Short:                 "explain a command",
		RunE: func(_ *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			if err == nil && len(rest) == 0 {
				return topic.Help()
			}
			name := strings.Join(args, " ")
			return fmt.Errorf("help: unknown command %q %s", name,
				text.Known(name, commandNames(root)))
		},
		ValidArgsFunction: options.CompleteArgs(false, func() []string { return commandNames(root) }),
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

// What each command says of itself is a file of help/, in lines of at most 80 columns: the text,
// and after a line "Examples:" what can be pasted.
//
//go:embed help/*.txt
var helpFiles embed.FS

// helpText returns a command's text and its examples; nothing for one that has no file: hidden
// commands, and those that a line explains.
func helpText(command string) (text, examples string) {
	file, err := helpFiles.ReadFile("help/" + command + ".txt")
	if err != nil {
		return "", ""
	}
	text, examples, _ = strings.Cut(string(file), "\nExamples:\n")
	return strings.TrimRight(text, "\n"), strings.TrimRight(examples, "\n")
}

var shells = []string{"bash", "fish", "powershell", "zsh"}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "completion SHELL",
		Short:     "print the completion script: " + strings.Join(shells, ", "),
		Args:      options.Operands("SHELL"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Stdout, true)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.Stdout)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			}
			return fmt.Errorf("completion: unknown shell %q (known: %s)", args[0],
				strings.Join(shells, ", "))
		},
	}
}

func (a *app) versionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version [flags]",
		Short: "print version, commit, Go and system",
		Args:  options.Operands(),
		RunE: func(*cobra.Command, []string) error {
			v := execute.ReadVersion()
			if format == "json" {
				return a.JSON(struct {
					text.Head
					execute.Version
				}{text.NewHead("version"), v})
			}
			_, err := fmt.Fprintln(a.Stdout, v)
			return err
		},
	}
	options.Choice(cmd, &format, "format", "output", "text", "json")
	return cmd
}
