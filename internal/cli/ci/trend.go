package ci

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/trend"
)

type trendFlags struct {
	trend.Options
	by, format, out string
	html            flags.Output
	fail            bool
	allowPartial    bool
}

func (a *app) trendCommand() *cobra.Command {
	var o trendFlags
	o.Margin = 0.02
	cmd := &cobra.Command{
		Use:   "trend RESULT RESULT... [flags]",
		Short: "find the results at which a metric changed",
		// one argument may contain several results, see ReadDir
		Args: func(cmd *cobra.Command, args []string) error {
			return flags.Operands("RESULT")(cmd, args[:min(1, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.trend(o, args) },
	}
	fs := cmd.Flags()
	flags.Metric(cmd, &o.Metrics, "test only this `METRIC` (repeatable, default all)",
		a.metrics)
	fs.StringVar(&o.by, "by", "",
		"sort the results by the configuration line of this `KEY` (default as given)")
	fs.Var(flags.Share(&o.Margin, true), "margin",
		"ignore changes below this `SHARE` (default 2%)")
	fs.Var(flags.Share(&o.Alpha, false), "alpha",
		"probability `P` of any false alarm, over all series (default 0.05)")
	fs.IntVar(&o.Last, "last", 0,
		"list only changes in the last `N` results (default all)")
	fs.BoolVar(&o.allowPartial, "allow-partial", false,
		"accept results whose last line is cut off, and use the complete lines")
	fs.BoolVar(&o.fail, "fail", false, "exit code 1 when a change for the worse is listed")
	fs.Uint64Var(&o.Seed, "seed", 1, "`SEED` of the permutations")
	fs.StringVarP(&o.out, flags.OutFlag, "o", "",
		"draw a chart of each metric into this `DIR`, as SVG and PNG")
	o.html.AddTo(cmd, "html", "also write a page for a browser to this `FILE`")
	flags.Choice(cmd, &o.format, "format", "output", "text", "json")
	return cmd
}

func (a *app) trend(o trendFlags, args []string) error {
	args, twice := distinct(args)
	inputs, err := ReadInputs(args, a.stdin)
	if err != nil {
		return err
	}
	// a note reports input that was cut off between two lines
	if err := checkComplete(inputs, false); !o.allowPartial && err != nil {
		return err
	}
	if o.by != "" {
		if inputs, err = trend.OrderBy(inputs, o.by); err != nil {
			return fmt.Errorf("--by: %w", err)
		}
	}
	t, err := trend.Find(inputs, o.Options)
	if err != nil {
		return fmt.Errorf("trend: %s", strings.Join(append([]string{err.Error()}, twice...), "; "))
	}
	t.Warnings = append(t.Warnings, twice...)
	var charts []string
	if o.out != "" {
		if charts, err = trend.WriteCharts(o.out, t); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if err := o.html.Write(func(w io.Writer) error { return trend.WritePage(w, t) }); err != nil {
		return err
	}
	if err := a.showTrend(o, t, charts); err != nil {
		return err
	}
	if o.fail && t.Worse() {
		return terminal.Regression
	}
	if t.Undecided {
		return terminal.Undecided
	}
	return nil
}

func (a *app) showTrend(o trendFlags, t *trend.Trend, charts []string) error {
	if o.format == "json" {
		return trend.WriteJSON(a.Stdout, t)
	}
	if err := trend.WriteText(a.Stdout, t, a.Columns()); err != nil {
		return err
	}
	if len(charts) > 0 {
		_, err := fmt.Fprintf(a.Stdout, "\ncharts in %s\n", o.out)
		return err
	}
	return nil
}

// distinct is needed because poolbench-out/* includes the link "latest".
func distinct(args []string) (once, warnings []string) {
	var seen []os.FileInfo
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err == nil && info.IsDir() {
			info, err = os.Stat(filepath.Join(arg, rundir.ResultsFile))
		}
		// Reading the file reports other errors.
		i := slices.IndexFunc(seen, func(before os.FileInfo) bool {
			return err == nil && before != nil && os.SameFile(before, info)
		})
		if i >= 0 {
			warnings = append(warnings,
				fmt.Sprintf("%s repeats %s, so it counts once", arg, once[i]))
			continue
		}
		once, seen = append(once, arg), append(seen, info)
	}
	return once, warnings
}
