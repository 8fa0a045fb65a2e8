package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/lock"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
)

func (a *app) reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "report DIR",
		DisableFlagsInUseLine: true,
		Short:                 "draw the report of a run directory again",
		Args:                  operands("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := results.ReadDir(args[0]); err != nil { // before anything is written
				return err
			}
			held, err := lock.Take(args[0])
			if err != nil {
				return err
			}
			if err := errors.Join(page.Write(args[0], studies.Figures),
				held.Release()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.stdout, filepath.Join(args[0], rundir.ReportFile))
			return err
		},
	}
}
