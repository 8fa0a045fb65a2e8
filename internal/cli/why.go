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
		Short: "say why the p99 is what it is: the causes, ranked",
		Args:  flags.Operands("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.why(args[0], format)
		},
	}
	flags.Choice(cmd, &format, "format", "output", "text", "json")
	return cmd
}

// A whyDocument is what why prints with --format json.
type whyDocument struct {
	text.Head
	Dir  string     `json:"dir"`
	Runs []why.Line `json:"runs"`
}

// why is `poolbench why DIR`.
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
		return fmt.Errorf("%s: no run of it has a mean response, so nothing tells where its time "+
			"went", dir)
	}
	if err := show.ShowWhy(a.Printer, groups); err != nil {
		return err
	}
	return show.ShowTools(a.Printer, slices.Concat(why.Profiles(dir, r.Runs),
		why.Traces(dir, r.Runs)))
}
