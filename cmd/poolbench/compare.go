package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/reports"
)

const compareHelp = `compare sets two sets of results side by side: medians, intervals and p-values are benchstat's, and every metric
whose direction is known says better or worse.

OLD and NEW are run directories, results.txt files, or the output of 'go test -bench'. An interval takes 6 repetitions,
a difference at least 4 on each side: give run --count 10.

To let CI decide, see gate: compare tests every metric by itself, so among many some differ by chance.`

func (a *app) compareCommand() *cobra.Command {
	var o reports.CompareOptions
	var format string
	var allowPartial bool
	cmd := &cobra.Command{
		Use:                   "compare OLD NEW [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "compare two sets of results",
		Long:                  compareHelp,
		Example: `  poolbench compare poolbench-out/before poolbench-out/after
  poolbench compare old.txt new.txt --metric p99-response-sec --metric ops/s --format markdown`,
		Args: operands("OLD", "NEW"),
		RunE: func(_ *cobra.Command, args []string) error {
			old, new, err := readBoth(args)
			if err != nil {
				return err
			}
			if !allowPartial {
				if err := errors.Join(whole(old), whole(new)); err != nil {
					return err
				}
			}
			c, err := reports.Compare(old, new, o)
			if err != nil {
				return fmt.Errorf("compare: %w", err)
			}
			switch format {
			case "markdown":
				return reports.WriteMarkdown(a.stdout, c)
			case "csv":
				for _, note := range c.Notes() { // the table has no place for them
					fmt.Fprintln(a.stderr, note)
				}
				return reports.WriteCSV(a.stdout, c)
			case "json":
				return reports.WriteJSON(a.stdout, c)
			}
			return reports.WriteText(a.stdout, c)
		},
	}
	metricFlag(cmd, &o.Metrics, "compare only this `METRIC`, may be given again (default all)")
	cmd.Flags().Var(&fraction{value: &o.Alpha}, "alpha", "a difference counts when p is at most this `P` (default 0.05)")
	cmd.Flags().BoolVar(&allowPartial, "allow-partial", false, "compare results that were interrupted or cut off by what they hold")
	cmd.Flags().Var(&fraction{value: &o.Confidence}, "confidence", "`LEVEL` of the intervals (default 95%)")
	choiceFlag(cmd, &format, "format", "output", "text", "markdown", "csv", "json")
	return cmd
}

// whole refuses results that were interrupted or cut off, which would look like a comparison of everything.
func whole(r *reports.Results) error {
	if r.Partial == "" {
		return nil
	}
	return fmt.Errorf("%s is not whole: %s; --allow-partial compares what it holds", r.Path, r.Partial)
}

// readBoth reads the two inputs of a comparison.
func readBoth(args []string) (old, new *reports.Results, err error) {
	if old, err = reports.ReadFile(args[0]); err != nil {
		return nil, nil, err
	}
	if new, err = reports.ReadFile(args[1]); err != nil {
		return nil, nil, err
	}
	return old, new, nil
}
