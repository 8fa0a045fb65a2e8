package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/trend"
)

// A comparing is what the flags of compare say.
type comparing struct {
	compare.Options
	format       string
	html         flags.Output
	allowPartial bool
	all          bool
}

func (a *app) compareCommand() *cobra.Command {
	var o comparing
	cmd := &cobra.Command{
		Use:   "compare OLD [NEW...] [flags]",
		Short: "compare sets of results, or strategies within one",
		Args: func(cmd *cobra.Command, args []string) error {
			return flags.Operands("OLD")(cmd, args[:min(1, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.compare(o, args) },
	}
	fs := cmd.Flags()
	flags.Metric(cmd, &o.Metrics,
		"compare this `METRIC`, or those of a pattern, p99-*; repeatable "+
			"(default throughput or goodput, response, wait and losses)")
	fs.BoolVar(&o.all, "all", false, "every metric, unpaired, in benchstat's tables")
	fs.BoolVar(&o.Unpaired, "unpaired", false, "do not pair the runs of a seed")
	fs.Var(flags.Parsed(&o.Col, "KEYS", projection), "col",
		"a column for each value of these `KEYS` (default .file)")
	fs.Var(flags.Parsed(&o.Row, "KEYS", projection), "row",
		"a row for each value of these `KEYS` (default .fullname)")
	fs.Var(flags.Parsed(&o.Table, "KEYS", projection), "table",
		"a table for each value of these `KEYS`, and metric (default pkg)")
	fs.StringVar(&o.Ignore, "ignore", "", "do not warn if these `KEYS` vary within a cell")
	fs.StringVar(&o.Filter, "filter", "",
		"compare only what matches this `QUERY`, such as '/load:0.8 .unit:ops/s'")
	fs.Var(flags.Share(&o.Alpha, false), "alpha",
		"a difference is significant when p is at most this `P` (default 0.05)")
	fs.Var(flags.Share(&o.Confidence, false), "confidence",
		"`LEVEL` of the intervals (default 95%)")
	fs.BoolVar(&o.allowPartial, "allow-partial", false,
		"compare interrupted or cut-off results by what they hold")
	flags.Choice(cmd, &o.format, "format", "output", "text", "markdown", "csv", "json")
	o.html.AddTo(cmd, "html", "also write a page for a browser to this `FILE`")
	return cmd
}

func (a *app) compare(o comparing, args []string) error {
	inputs, err := a.readInputs(args)
	if err != nil {
		return err
	}
	if err := entire(inputs, true); !o.allowPartial && err != nil {
		return err
	}
	o.Brief = !o.all
	c, err := compare.All(inputs, o.Options)
	var option *compare.OptionError
	switch {
	case errors.As(err, &option):
		return fmt.Errorf("--%w", err)
	case err != nil:
		return fmt.Errorf("compare: %w", err)
	}
	if o.html.Path != "" {
		if err := writeComparison(o.html, c, inputs); err != nil {
			return err
		}
	}
	if o.format == "csv" {
		for _, note := range slices.Concat(compare.CSVWarnings(c), c.Notes()) {
			// the table has no place for them
			fmt.Fprintln(a.Stderr, note)
		}
	}
	return map[string]func(io.Writer, *compare.Comparison) error{
		"text": func(w io.Writer, c *compare.Comparison) error {
			return compare.WriteTerminal(w, c, a.Columns())
		}, "markdown": compare.WriteMarkdown, "csv": compare.WriteCSV,
		"json": compare.WriteJSON,
	}[o.format](a.Stdout, c)
}

// writeComparison writes the page of a comparison, with an explorer of all that is compared.
func writeComparison(html flags.Output, c *compare.Comparison, inputs []results.Input) error {
	explorer, err := page.Explorer(inputs)
	if err != nil {
		return err
	}
	return html.Write(func(w io.Writer) error {
		return compare.WritePage(w, c, explorer)
	})
}

// projection takes keys. One that is given and empty is a projection on nothing, and not the
// default.
func projection(keys string) (string, error) { return cmp.Or(keys, " "), nil }

// entire refuses results that were cut off, or interrupted where that counts, which would look like
// a comparison of everything.
func entire(inputs []results.Input, interrupted bool) error {
	var wrong []error
	for _, in := range inputs {
		switch r := in.Results; {
		case r.Cut.Line > 0:
			wrong = append(wrong, fmt.Errorf("%v: the last line is cut off; --allow-partial takes "+
				"what the file holds", r.Cut))
		case r.Partial != "" && interrupted:
			wrong = append(wrong, fmt.Errorf("%s; --allow-partial takes what it holds",
				results.NotWhole(r)))
		}
	}
	return errors.Join(wrong...)
}

// readInputs reads the inputs of a comparison: PATH, NAME=PATH, or - for standard input. Columns of
// one path are told apart as benchstat does; a name is taken as it is, so that two inputs may share
// a column.
func (a *app) readInputs(args []string) (inputs []results.Input, err error) {
	times := make(map[string]int)
	for _, arg := range args {
		times[arg]++
	}
	seen := make(map[string]int)
	for _, arg := range args {
		in := results.Input{Label: arg}
		path := arg
		// out/load=0.8 may be a directory
		_, none := os.Stat(arg)
		if label, rest, named := strings.Cut(arg, "="); named && none != nil {
			in.Label, path = label, rest
		} else if times[arg] > 1 {
			in.Label = fmt.Sprintf("%s#%d", arg, seen[arg])
			seen[arg]++
		}
		if path == "-" {
			in.Results, err = results.Read(a.stdin, "-")
		} else {
			in.Results, err = results.ReadFile(path)
		}
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// A watching is what the flags of trend say.
type watching struct {
	trend.Options
	by, format, out string
	html            flags.Output
	fail            bool
	allowPartial    bool
}

func (a *app) trendCommand() *cobra.Command {
	var o watching
	o.Margin = 0.02
	cmd := &cobra.Command{
		Use:   "trend RESULT RESULT... [flags]",
		Short: "since when a metric differs: change points in a series",
		Args: func(cmd *cobra.Command, args []string) error {
			return flags.Operands("RESULT", "RESULT")(cmd, args[:min(2, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.trend(o, args) },
	}
	fs := cmd.Flags()
	flags.Metric(cmd, &o.Metrics, "look only at this `METRIC`; repeatable (default all)")
	fs.StringVar(&o.by, "by", "",
		"sort the results by the configuration line of this `KEY` (default as given)")
	fs.Var(flags.Share(&o.Margin, true), "margin",
		"ignore changes below this `SHARE` (default 2%)")
	fs.Var(flags.Share(&o.Alpha, false), "alpha",
		"probability `P` of any false alarm, over all series (default 0.05)")
	fs.IntVar(&o.Last, "last", 0,
		"list only changes that begin in the last `N` results (default all)")
	fs.BoolVar(&o.allowPartial, "allow-partial", false,
		"accept results whose last line is cut off; use what is there")
	fs.BoolVar(&o.fail, "fail", false, "exit code 1 when a change for the worse is listed")
	fs.Uint64Var(&o.Seed, "seed", 1, "`SEED` of the permutations")
	fs.StringVar(&o.out, flags.OutFlag, "",
		"draw a chart of each metric into this `DIR`, as SVG and PNG")
	o.html.AddTo(cmd, "html", "also write a page for a browser to this `FILE`")
	flags.Choice(cmd, &o.format, "format", "output", "text", "json")
	return cmd
}

func (a *app) trend(o watching, args []string) error {
	args, twice := distinct(args)
	inputs, err := a.readInputs(args)
	if err != nil {
		return err
	}
	// what was interrupted between two lines is told of in a note
	if err := entire(inputs, false); !o.allowPartial && err != nil {
		return err
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
	if err := o.html.Write(func(w io.Writer) error { return trend.WritePage(w, t) }); err != nil {
		return err
	}
	if err := a.showTrend(o, t, charts); err != nil {
		return err
	}
	if o.fail && t.Worse() {
		return exit.Regression
	}
	if t.Undecided {
		return exit.Undecided
	}
	return nil
}

func (a *app) showTrend(o watching, t *trend.Trend, charts []string) error {
	if o.format == "json" {
		return trend.WriteJSON(a.Stdout, t)
	}
	if err := trend.WriteTerminal(a.Stdout, t, a.Columns()); err != nil {
		return err
	}
	if len(charts) > 0 {
		_, err := fmt.Fprintf(a.Stdout, "\ncharts in %s\n", o.out)
		return err
	}
	return nil
}

// distinct drops what is the same file as one before it: poolbench-out/* holds the link "latest".
func distinct(args []string) (once, warnings []string) {
	var seen []os.FileInfo
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err == nil && info.IsDir() {
			info, err = os.Stat(filepath.Join(arg, rundir.ResultsFile))
		}
		// What cannot be read is complained of by the reading.
		i := slices.IndexFunc(seen, func(before os.FileInfo) bool {
			return err == nil && before != nil && os.SameFile(before, info)
		})
		if i >= 0 {
			warnings = append(warnings,
				fmt.Sprintf("%s repeats %s and counts once", arg, once[i]))
			continue
		}
		once, seen = append(once, arg), append(seen, info)
	}
	return once, warnings
}
