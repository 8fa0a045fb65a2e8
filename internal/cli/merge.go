package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page"
)

func (a *app) mergeCommand() *cobra.Command {
	var o options.RunOptions
	cmd := &cobra.Command{
		Use:   "merge DIR DIR… [flags]",
		Short: "combine the run directories of several load generators",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("want two directories or more")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.mergeDirs(args, o) },
	}
	o.AddDirTo(cmd)
	return cmd
}

func (a *app) mergeDirs(paths []string, o options.RunOptions) error {
	merged, leftOut, partial, err := directory.Merge(paths)
	if err != nil {
		return err
	}
	e, err := execute.Begin(a.Host, o, "")
	if err != nil {
		return err
	}
	defer e.Close()
	var writing error
	for _, r := range merged {
		writing = errors.Join(writing, e.Dir.Write(r))
	}
	var cut error
	if partial != nil {
		cut = terminal.Interrupted
	}
	if err := errors.Join(writing, e.Dir.End(len(merged), cut)); err != nil {
		return err
	}
	if err := page.Write(e.Dir.Path(), studies.Figures); err != nil {
		return err
	}
	said := fmt.Sprintf("Runs: %d, each from %d directories. Distributions are added, and "+
		"quantiles are computed from the sums, to three digits.", len(merged), len(paths))
	if len(leftOut) > 0 {
		said += " Omitted, because they cannot be computed from counts: " + strings.Join(leftOut, ", ") + "."
	}
	if partial != nil {
		said += " Partial, because not all runs ended: " + text.List(partial) + "."
	}
	said = text.Wrapped("", said, terminal.FallbackColumns)
	_, err = fmt.Fprintf(a.Stdout, "%s\nReport: %s\n", said,
		filepath.Join(e.Dir.Path(), rundir.ReportFile))
	for _, r := range merged {
		if r.Invalid() {
			return errors.Join(err, terminal.Undecided)
		}
	}
	return err
}
