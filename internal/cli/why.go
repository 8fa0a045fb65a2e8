package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/why"
)

func (a *app) whyCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "why DIR [flags]",
		Short: "explain the p99: its causes, ranked",
		Args:  flags.Operands("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.why(args[0], format)
		},
	}
	flags.Choice(cmd, &format, "format", "output", "text", "json")
	return cmd
}

type whyDocument struct {
	text.Head
	Dir  string     `json:"dir"`
	Runs []why.Line `json:"runs"`
}

func (a *app) why(dir, format string) error {
	r, err := results.ReadDir(dir)
	if err != nil {
		return err
	}
	groups := why.Groups(r)
	switch {
	case format == "json":
		return a.JSON(whyDocument{text.NewHead("why"), dir, why.Lines(groups)})
	case len(groups) == 0:
		return fmt.Errorf("%s: no run has a mean response time, so there is nothing to explain", dir)
	}
	if err := show.ShowWhy(a.Printer, groups); err != nil {
		return err
	}
	return show.ShowTools(a.Printer, slices.Concat(why.Profiles(dir, r.Runs),
		why.Traces(dir, r.Runs)))
}
