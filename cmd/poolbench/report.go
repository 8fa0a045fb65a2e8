package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/reports"
)

func (a *app) reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "report DIR",
		DisableFlagsInUseLine: true,
		Short:                 "draw the report of a run directory again",
		Long: `report reads the results of a run directory and writes report.html, one file that needs no other, and charts/ with
every chart as SVG and PNG. It works while a run is still writing, too, and on one that was interrupted.`,
		Example: `  poolbench report poolbench-out/latest`,
		Args:    operands("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := reports.WriteReport(args[0], studies.Figures); err != nil {
				return err
			}
			_, err := fmt.Fprintln(a.stdout, filepath.Join(args[0], reports.ReportFile))
			return err
		},
	}
}
