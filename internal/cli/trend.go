package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/trend"
)

// A watching is what the flags of trend say.
type watching struct {
	trend.Options
	by, format, out string
	fail            bool
	allowPartial    bool
}

func (a *app) trendCommand() *cobra.Command {
	var o watching
	o.Margin = 0.02
	cmd := &cobra.Command{
		Use:                   "trend RESULT RESULT... [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "since when a metric differs: change points in a series",
		Args: func(cmd *cobra.Command, args []string) error {
			return operands("RESULT", "RESULT")(cmd, args[:min(2, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.trend(o, args) },
	}
	fs := cmd.Flags()
	metricFlag(cmd, &o.Metrics, "look only at this `METRIC`; repeatable (default all)")
	fs.StringVar(&o.by, "by", "",
		"sort the results by the configuration line of this `KEY` (default as given)")
	fs.Var(&fraction{value: &o.Margin, zero: true}, "margin",
		"ignore changes below this `SHARE` (default 2%)")
	fs.Var(&fraction{value: &o.Alpha}, "alpha",
		"probability `P` of any false alarm, over all series (default 0.05)")
	fs.IntVar(&o.Last, "last", 0,
		"list only changes that begin in the last `N` results (default all)")
	fs.BoolVar(&o.allowPartial, "allow-partial", false,
		"accept results whose last line is cut off; use what is there")
	fs.BoolVar(&o.fail, "fail", false, "exit code 1 when a change for the worse is listed")
	fs.Uint64Var(&o.Seed, "seed", 1, "`SEED` of the permutations")
	fs.StringVar(&o.out, "out", "", "draw a chart of each metric into this `DIR`, as SVG and PNG")
	choiceFlag(cmd, &o.format, "format", "output", "text", "json")
	return cmd
}

func (a *app) trend(o watching, args []string) error {
	args, twice := distinct(args)
	inputs, err := a.readInputs(args)
	if err != nil {
		return err
	}
	if !o.allowPartial {
		var cut []error
		for _, in := range inputs {
			if in.Results.Cut.Line > 0 {
				// what was interrupted between two lines is told of in a note
				cut = append(cut, entire(in.Results))
			}
		}
		if err := errors.Join(cut...); err != nil {
			return err
		}
	}
	if o.by != "" {
		if inputs, err = trend.OrderBy(inputs, o.by); err != nil {
			return fmt.Errorf("--by: %w", err)
		}
	}
	t, err := trend.Find(inputs, o.Options)
	if err != nil {
		return fmt.Errorf("trend: %w", err)
	}
	t.Warnings = append(t.Warnings, twice...)
	var charts []string
	if o.out != "" {
		if charts, err = trend.WriteCharts(o.out, t); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if err := a.showTrend(o, t, charts); err != nil {
		return err
	}
	if o.fail && t.Worse() {
		return exitCode(regression)
	}
	if t.Undecided() {
		return exitCode(undecided)
	}
	return nil
}

func (a *app) showTrend(o watching, t *trend.Trend, charts []string) error {
	if o.format == "json" {
		return trend.WriteJSON(a.stdout, t)
	}
	if err := trend.WriteText(a.stdout, t); err != nil {
		return err
	}
	if len(charts) > 0 {
		_, err := fmt.Fprintf(a.stdout, "\ncharts in %s\n", o.out)
		return err
	}
	return nil
}

// distinct drops what is the same file as one before it: poolbench-out/* holds the link "latest".
func distinct(args []string) (once, warnings []string) {
	var seen []os.FileInfo
next:
	for _, arg := range args {
		path := arg
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			info, err = os.Stat(filepath.Join(path, rundir.ResultsFile))
		}
		if err == nil { // what cannot be read is complained of by the reading
			for i, before := range seen {
				if before != nil && os.SameFile(before, info) {
					warnings = append(warnings,
						fmt.Sprintf("%s is %s over again, and counts once", arg, once[i]))
					continue next
				}
			}
		} else {
			info = nil
		}
		once, seen = append(once, arg), append(seen, info)
	}
	return once, warnings
}
