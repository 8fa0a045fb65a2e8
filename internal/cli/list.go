package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

func (a *app) listCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list [KIND [NAME]] [flags]",
		Short: "list the names that the command line accepts",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 2 {
				return fmt.Errorf("list: unexpected argument %q", args[2])
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			if len(args) == 0 {
				return options.KindNames(), cobra.ShellCompDirectiveNoFileComp
			}
			for _, k := range options.Kinds() {
				if k.Name == args[0] && len(args) == 1 {
					return k.Names, cobra.ShellCompDirectiveNoFileComp
				}
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			chosen, err := options.ParseListings(args)
			if err != nil {
				return fmt.Errorf("list: %w", err)
			}
			if format == "json" {
				return a.JSON(struct {
					text.Head
					Lists []options.Listing `json:"lists"`
				}{text.NewHead("list"), chosen})
			}
			if len(args) == 2 {
				return a.showEntry(chosen[0].Entries[0])
			}
			if len(args) == 1 && args[0] == "strategies" {
				return a.showStrategies()
			}
			return a.showListings(chosen)
		},
	}
	flags.Choice(cmd, &format, "format", "output", "text", "json")
	return cmd
}

func (a *app) showListings(lists []options.Listing) error {
	for i, l := range lists {
		if len(lists) > 1 {
			if i > 0 {
				fmt.Fprintln(a.Stdout)
			}
			fmt.Fprintln(a.Stdout, l.Kind)
		}
		var rows [][]string
		for _, e := range l.Entries {
			rows = append(rows, []string{e.Name, e.Summary})
		}
		if err := a.List(rows); err != nil {
			return err
		}
	}
	return nil
}

// Strategies with a twin are in a second table.
func (a *app) showStrategies() error {
	rows, twins := [][]string{options.StrategyColumns}, [][]string{options.TwinColumns}
	for _, s := range strategies.All() {
		if s.Twin.Of != "" {
			twins = append(twins, options.TwinRow(s))
			continue
		}
		rows = append(rows, options.StrategyRow(s))
	}
	if err := a.List(rows); err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout)
	if err := a.Prose("Twins: under the virtual clock, their results equal the results of " +
		"another strategy. They differ in overhead, interface, errors or shutdown. --strategy " +
		"every runs them, too:\n"); err != nil {
		return err
	}
	return a.List(twins)
}

func (a *app) showEntry(e options.Entry) error {
	if err := a.Prose("%s: %s\n", e.Name, e.Summary); err != nil {
		return err
	}
	var rows [][]string
	for _, f := range e.Facts {
		rows = append(rows, []string{f.Name, f.Value})
	}
	if err := a.List(rows); err != nil || len(e.Parameters) == 0 {
		return err
	}
	fmt.Fprintf(a.Stdout, "parameters, as in %s:%s=…\n", e.Name, e.Parameters[0].Name)
	rows = nil
	for _, p := range e.Parameters {
		byDefault := "must be given"
		if p.Default != "" {
			byDefault = "default " + p.Default
		}
		rows = append(rows, []string{p.Name, p.Kind, byDefault, p.Doc})
	}
	return a.List(rows)
}
