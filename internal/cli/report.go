package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/ci"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
)

const comparisonFile = "comparison.html"

func (a *app) reportCommand() *cobra.Command {
	var html flags.Output
	cmd := &cobra.Command{
		Use:   "report DIR [DIR...] [flags]",
		Short: "write the report of a run directory, or compare several",
		Args: func(cmd *cobra.Command, args []string) error {
			return flags.Operands("DIR")(cmd, args[:min(1, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				if html.Path == "" {
					html = flags.Output{Path: comparisonFile}
				}
				return a.reportTogether(html, args)
			}
			return a.report(args[0], html)
		},
	}
	html.AddTo(cmd, "html", "write one page with everything to this `FILE` alone (default: "+
		rundir.ReportFile+" in DIR or, of several directories, "+comparisonFile+")")
	return cmd
}

// If its files are written elsewhere, report does not lock the directory.
func (a *app) report(dir string, html flags.Output) error {
	if _, err := results.ReadDir(dir); err != nil { // before anything is written
		return err
	}
	draw := a.drawElsewhere
	if html.Path == "" {
		draw, html.Path = a.drawIn, filepath.Join(dir, rundir.ReportFile)
	}
	if _, err := draw(dir, html); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.Stdout, html.Path)
	return err
}

func (a *app) drawIn(dir string, _ flags.Output) (*page.Report, error) {
	held, err := files.LockDir(dir)
	if err != nil {
		return nil, err
	}
	r, err := page.Load(dir, studies.Figures)
	if err == nil {
		r.Vectors = a.Vectors
		err = r.Write(dir)
	}
	return r, errors.Join(err, held.Release())
}

func (a *app) drawElsewhere(dir string, html flags.Output) (*page.Report, error) {
	r, err := page.Load(dir, studies.Figures)
	if err != nil {
		return nil, err
	}
	return r, html.Write(r.WriteHTML)
}

// reportTogether runs `poolbench report A B`, for directories of any kind.
func (a *app) reportTogether(html flags.Output, args []string) error {
	inputs, err := ci.ReadInputs(args, a.stdin)
	if err != nil {
		return err
	}
	c, err := compare.All(inputs, compare.Options{Brief: true})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := ci.WriteComparison(html, c, inputs, page.Explorer); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, html.Path)
	return err
}
