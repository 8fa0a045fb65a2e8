package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/lock"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
)

// comparisonFile is the page of several directories, unless it is given a name.
const comparisonFile = "comparison.html"

func (a *app) reportCommand() *cobra.Command {
	var html, card string
	cmd := &cobra.Command{
		Use:   "report DIR [DIR...] [flags]",
		Short: "draw the report of a run directory again, or one page of several",
		Args: func(cmd *cobra.Command, args []string) error {
			return operands("DIR")(cmd, args[:min(1, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return a.reportTogether(cmp.Or(html, comparisonFile), card, args)
			case html != "":
				return errors.New("--html: the page of one directory is its " + rundir.ReportFile)
			}
			return a.report(args[0], card)
		},
	}
	cmd.Flags().StringVar(&html, "html", "", "write the page of several directories to this "+
		"`FILE` (default "+comparisonFile+")")
	cmd.Flags().StringVar(&card, "card", "", "also write the finding as a PNG of 1200x630 to this "+
		"`FILE`")
	return cmd
}

// report is `poolbench report DIR`.
func (a *app) report(dir, card string) error {
	if _, err := results.ReadDir(dir); err != nil { // before anything is written
		return err
	}
	held, err := lock.Take(dir)
	if err != nil {
		return err
	}
	r, err := page.Load(dir, studies.Figures)
	if err == nil {
		err = r.Write(dir)
	}
	if err = errors.Join(err, held.Release()); err != nil {
		return err
	}
	if card != "" {
		if err := rundir.Replace(card, r.WriteCard); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(a.stdout, filepath.Join(dir, rundir.ReportFile))
	return err
}

// reportTogether is `poolbench report A B`: the page of compare --html, of whatever the directories
// hold.
func (a *app) reportTogether(path, card string, args []string) error {
	inputs, err := a.readInputs(args)
	if err != nil {
		return err
	}
	c, err := compare.All(inputs, compare.Options{})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := writeComparison(path, c, inputs); err != nil {
		return err
	}
	if card != "" {
		if err := rundir.Replace(card, func(w io.Writer) error {
			return compare.WriteCard(w, c)
		}); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(a.stdout, path)
	return err
}
