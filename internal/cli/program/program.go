// Package program builds a command-line program from commands: the root with its help, completion
// and version.
package program

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/text"
)

type Group struct {
	Title    string
	Commands []*cobra.Command
}

// The last group includes the help command. The program itself starts the hidden commands.
func Root(
	p *terminal.Printer, short string, groups []Group, hidden []*cobra.Command,
) *cobra.Command {
	root := &cobra.Command{
		Use:   p.Program,
		Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q %s", args[0],
					text.Known(args[0], commandNames(cmd)))
			}
			return nil
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true // replaced by CompletionCommand
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpCommandGroupID(groups[len(groups)-1].Title)
	root.SetFlagErrorFunc(flags.Error)
	// The version flag of cobra would link package text/template, and with it all methods, which is
	// 4 MB.
	version := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if !*version {
			return cmd.Help()
		}
		_, err := fmt.Fprintln(p.Stdout, ReadVersion().Text(p.Program))
		return err
	}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.Title, Title: g.Title + ":"})
		for _, c := range g.Commands {
			c.GroupID = g.Title
			root.AddCommand(c)
		}
	}
	root.AddCommand(hidden...)
	for _, c := range root.Commands() {
		c.DisableFlagsInUseLine = true // Use contains them
	}
	for _, c := range append(root.Commands(), root) {
		c.Flags().SortFlags = false // keeps the order of declaration
		c.Flags().BoolP("help", "h", false, "this help")
		c.Args = flags.Checked(c.Args)
		if run := c.RunE; run != nil {
			c.RunE = func(cmd *cobra.Command, args []string) error {
				return flags.Named(cmd, flags.Misplaced(cmd, args, run(cmd, args)))
			}
		}
		c.Long, c.Example = helpText(p.Program, c.Name())
	}
	root.SetUsageFunc(narrow(root.UsageFunc()))
	rootHelp := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if c == root {
			rootHelp(c, args)
		} else {
			_ = explain(c.OutOrStdout(), c, false) // the printer reports write errors of stdout
		}
	})
	return root
}

// narrow wraps usage texts at 80 columns.
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

// Unlike cobra's help command, an unknown command is an error.
func helpCommand(root *cobra.Command) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:                   "help COMMAND [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "explain a command",
		RunE: func(_ *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			switch {
			case err == nil && len(rest) == 0 && all && topic != root:
				return explain(topic.OutOrStdout(), topic, true)
			case err == nil && len(rest) == 0:
				return topic.Help()
			}
			name := strings.Join(args, " ")
			return fmt.Errorf("help: unknown command %q %s", name,
				text.Known(name, commandNames(root)))
		},
		ValidArgsFunction: flags.CompleteArgs(false, func() []string { return commandNames(root) }),
	}
	cmd.Flags().BoolVar(&all, "all", false, "show the whole text, all examples and all flags")
	cmd.Flags().BoolP("help", "h", false, "this help")
	return cmd
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

// Each command's help is a file in lines of at most 80 columns. It contains the text and, after a
// line "Examples:", commands to paste.
//
//go:embed help/*.txt
var helpFiles embed.FS

// ofCI matches commands that benchgate also has.
var ofCI = lazyregexp.New(`\bpoolbench (compare|gate|trend)\b`)

// A command without a file is hidden or has a one-line description.
func helpText(program, command string) (text, examples string) {
	file, err := helpFiles.ReadFile("help/" + command + ".txt")
	if err != nil {
		return "", ""
	}
	all := string(file)
	if program != "poolbench" {
		all = ofCI.ReplaceAllString(all, program+" $1")
	}
	text, examples, _ = strings.Cut(all, "\nExamples:\n")
	return strings.TrimRight(text, "\n"), strings.TrimRight(examples, "\n")
}

var shells = []string{"bash", "fish", "powershell", "zsh"}

func CompletionCommand(p *terminal.Printer) *cobra.Command {
	return &cobra.Command{
		Use:       "completion SHELL",
		Short:     "print the completion script: " + strings.Join(shells, ", "),
		Args:      flags.Operands("SHELL"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(p.Stdout, true)
			case "fish":
				return root.GenFishCompletion(p.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(p.Stdout)
			case "zsh":
				return root.GenZshCompletion(p.Stdout)
			}
			return fmt.Errorf("completion: unknown shell %q (known: %s)", args[0],
				strings.Join(shells, ", "))
		},
	}
}

func VersionCommand(p *terminal.Printer) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version [flags]",
		Short: "print version, commit, Go and system",
		Args:  flags.Operands(),
		RunE: func(*cobra.Command, []string) error {
			v := ReadVersion()
			if format == "json" {
				return p.JSON(struct {
					text.Head
					Version
				}{text.NewHead("version"), v})
			}
			_, err := fmt.Fprintln(p.Stdout, v.Text(p.Program))
			return err
		},
	}
	flags.Choice(cmd, &format, "format", "output", "text", "json")
	return cmd
}
