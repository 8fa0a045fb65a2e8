package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/reports"
)

const trendHelp = `trend looks for the results at which a metric changed for good, in a series of results that are given in the order of
time. It is an alert and no gate: a gate compares two revisions side by side and decides, a trend watches the main branch
and says since when something has been slower.

A result is what compare takes: a run directory, a results.txt, the output of 'go test -bench'. The value of a benchmark
in it is the median of its runs. The results should come from one machine; where they do not, that is said. --by sorts them
by a configuration line, as numbers, times or text, such as one that was put before the benchmarks:

  (git log -1 --format='commit-time: %cI'; go test -bench . -count 5) > results/$(git rev-parse HEAD).txt
  poolbench trend results/*.txt --by commit-time

Changes are found by E-divisive on ranks with its permutation test: where nothing changed, the chance of any alarm among all
benchmarks and metrics is at most --alpha, and an outlier is no change. So a new level must last: of one series 10 results
are needed, of a hundred 17, and 3 or more of them after the change. Slow drift comes out as steps. The time goes with the
square of the number of results: some hundreds are plenty.

Exit code 0, whatever is found; with --fail, 1 when a change for the worse is listed.`

// A watching is what the flags of trend say.
type watching struct {
	reports.TrendOptions
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
		Short:                 "since when has a metric been another: change points in a series of results",
		Long:                  trendHelp,
		Example: `  poolbench trend poolbench-out/before poolbench-out/after --metric p99-response-sec
  poolbench trend poolbench-out/before poolbench-out/after --last 5 --fail --out poolbench-out/trend`,
		Args: func(cmd *cobra.Command, args []string) error {
			return operands("RESULT", "RESULT")(cmd, args[:min(2, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.trend(o, args) },
	}
	fs := cmd.Flags()
	metricFlag(cmd, &o.Metrics, "look at this `METRIC` only, may be given again (default all)")
	fs.StringVar(&o.by, "by", "", "sort the results by the configuration line of this `KEY` (default as given)")
	fs.Var(&fraction{value: &o.Margin, zero: true}, "margin", "leave out changes below this `SHARE` (default 2%)")
	fs.Var(&fraction{value: &o.Alpha}, "alpha", "chance `P` of any false alarm, all series together (default 0.05)")
	fs.IntVar(&o.Last, "last", 0, "list only changes that begin in the last `N` results (default all)")
	fs.BoolVar(&o.allowPartial, "allow-partial", false, "take results whose last line was cut off by what they hold")
	fs.BoolVar(&o.fail, "fail", false, "exit code 1 when a change for the worse is listed")
	fs.Uint64Var(&o.Seed, "seed", 1, "`SEED` of the permutations")
	fs.StringVar(&o.out, "out", "", "draw a chart of each metric into this `DIR`, as SVG and PNG")
	choiceFlag(cmd, &o.format, "format", "output", "text", "json")
	return cmd
}

func (a *app) trend(o watching, args []string) error {
	if o.Last < 0 {
		return fmt.Errorf("--last: want a whole number from 0 up, got %d", o.Last)
	}
	args, twice := distinct(args)
	inputs, err := a.readInputs(args)
	if err != nil {
		return err
	}
	if !o.allowPartial {
		var cut []error
		for _, in := range inputs {
			if in.Results.Cut.Line > 0 { // what was interrupted between two lines is told of in a note
				cut = append(cut, whole(in.Results))
			}
		}
		if err := errors.Join(cut...); err != nil {
			return err
		}
	}
	if o.by != "" {
		if inputs, err = reports.OrderBy(inputs, o.by); err != nil {
			return fmt.Errorf("--by: %w", err)
		}
	}
	t, err := reports.FindTrend(inputs, o.TrendOptions)
	if err != nil {
		return fmt.Errorf("trend: %w", err)
	}
	t.Warnings = append(t.Warnings, twice...)
	var charts []string
	if o.out != "" {
		if charts, err = reports.WriteTrendCharts(o.out, t); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if err := a.showTrend(o, t, charts); err != nil {
		return err
	}
	if o.fail && t.Worse() {
		return exitCode(regression)
	}
	return nil
}

func (a *app) showTrend(o watching, t *reports.Trend, charts []string) error {
	if o.format == "json" {
		return reports.WriteTrendJSON(a.stdout, t)
	}
	if err := reports.WriteTrendText(a.stdout, t); err != nil {
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
			info, err = os.Stat(filepath.Join(path, reports.ResultsFile))
		}
		if err == nil { // what cannot be read is complained of by the reading
			for i, before := range seen {
				if before != nil && os.SameFile(before, info) {
					warnings = append(warnings, fmt.Sprintf("%s is %s over again, and counts once", arg, once[i]))
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
