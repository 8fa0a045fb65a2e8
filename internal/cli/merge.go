package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/internal/tables"
	"github.com/poolbench/poolbench/reports/page"
)

func (a *app) mergeCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "merge DIR DIR… [flags]",
		Short: "one run directory of those of several load generators",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("want two directories or more")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.mergeDirs(args, o) },
	}
	o.addDirTo(cmd)
	return cmd
}

// mergeDirs is `poolbench merge`.
func (a *app) mergeDirs(paths []string, o runOptions) error {
	merged, leftOut, err := bench.MergeDirs(paths)
	if err != nil {
		return err
	}
	dir, err := a.openDir(o)
	if err != nil {
		return err
	}
	defer a.unlock(dir)
	var writing error
	for _, r := range merged {
		writing = errors.Join(writing, dir.Write(r))
	}
	if err := errors.Join(writing, dir.End(len(merged), nil)); err != nil {
		return err
	}
	if err := page.Write(dir.Path(), studies.Figures); err != nil {
		return err
	}
	said := fmt.Sprintf("Runs: %d, each of %d directories; distributions are added, and quantiles are "+
		"those of the sums, to three digits.", len(merged), len(paths))
	if len(leftOut) > 0 {
		said += " Left out, as no counts give them: " + strings.Join(leftOut, ", ") + "."
	}
	_, err = fmt.Fprintf(a.stdout, "%s\nReport: %s\n", tables.Wrapped("", said, loadWidth),
		filepath.Join(dir.Path(), rundir.ReportFile))
	for _, r := range merged {
		if r.Invalid() {
			return errors.Join(err, exitCode(undecided))
		}
	}
	return err
}
