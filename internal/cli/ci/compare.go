package ci

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

type compareFlags struct {
	compare.Options
	format       string
	html         flags.Output
	allowPartial bool
	all          bool
}

func (a *app) compareCommand() *cobra.Command {
	var o compareFlags
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
		"compare this `METRIC`, or the metrics that match a pattern such as p99-* (repeatable, "+
			"default throughput or goodput, response times, wait and losses)", a.metrics)
	fs.BoolVar(&o.all, "all", false, "compare every metric, unpaired, with benchstat's statistics")
	fs.BoolVar(&o.Unpaired, "unpaired", false, "do not pair the runs with equal seeds")
	fs.Var(flags.Parsed(&o.Col, "KEYS", projection), "col",
		"make a column for each value of these `KEYS` (default .file)")
	fs.Var(flags.Parsed(&o.Row, "KEYS", projection), "row",
		"make a row for each value of these `KEYS` (default .fullname)")
	fs.Var(flags.Parsed(&o.Table, "KEYS", projection), "table",
		"make a table for each metric and each value of these `KEYS` (default pkg)")
	fs.StringVar(&o.Ignore, "ignore", "", "do not warn if these `KEYS` vary within a cell")
	fs.StringVar(&o.Filter, "filter", "",
		"compare only results that match this `QUERY`, such as '/load:0.8 .unit:ops/s'")
	fs.Var(flags.Share(&o.Alpha, false), "alpha",
		"a difference is significant when p is at most this `P` (default 0.05)")
	fs.Var(flags.Share(&o.Confidence, false), "confidence",
		"`LEVEL` of the intervals (default 95%)")
	fs.BoolVar(&o.allowPartial, "allow-partial", false,
		"accept interrupted or cut-off results, and compare their samples")
	flags.Choice(cmd, &o.format, "format", "output", "text", "markdown", "csv", "json")
	o.html.AddTo(cmd, "html", "also write a page for a browser to this `FILE`")
	flags.MarkCommon(cmd, "metric", "all", "col", "row", "filter", "format", "html")
	return cmd
}

func (a *app) compare(o compareFlags, args []string) error {
	inputs, err := ReadInputs(args, a.stdin)
	if err != nil {
		return err
	}
	if err := checkComplete(inputs, true); !o.allowPartial && err != nil {
		return err
	}
	o.Brief = !o.all
	c, err := compare.All(inputs, o.Options)
	if _, of := errors.AsType[*compare.OptionError](err); of {
		return fmt.Errorf("--%w", err)
	} else if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	if o.html.Path != "" {
		if err := WriteComparison(o.html, c, inputs, a.explorer); err != nil {
			return err
		}
	}
	if o.format == "csv" {
		for _, note := range slices.Concat(compare.CSVWarnings(c), c.Notes()) {
			// notes do not fit into the table
			fmt.Fprintln(a.Stderr, note)
		}
	}
	return map[string]func(io.Writer, *compare.Comparison) error{
		"text": func(w io.Writer, c *compare.Comparison) error {
			return compare.WriteText(w, c, a.Columns())
		}, "markdown": compare.WriteMarkdown, "csv": compare.WriteCSV,
		"json": compare.WriteJSON,
	}[o.format](a.Stdout, c)
}

type Explorer func([]results.Input) (shell.Section, error)

// explorer adds charts of all compared results. It may be nil.
func WriteComparison(
	html flags.Output, c *compare.Comparison, inputs []results.Input, explorer Explorer,
) error {
	var sections []shell.Section
	if explorer != nil {
		section, err := explorer(inputs)
		if err != nil {
			return err
		}
		sections = append(sections, section)
	}
	return html.Write(func(w io.Writer) error {
		return compare.WritePage(w, c, sections...)
	})
}

// An empty value is a projection on nothing, not the default.
func projection(keys string) (string, error) { return cmp.Or(keys, " "), nil }

// A comparison would hide the missing results.
func checkComplete(inputs []results.Input, interrupted bool) error {
	var wrong []error
	for _, in := range inputs {
		switch r := in.Results; {
		case r.Cut.Line > 0:
			wrong = append(wrong, fmt.Errorf("%v: the last line is cut off; --allow-partial uses "+
				"the complete lines", r.Cut))
		case r.Partial != "" && interrupted:
			wrong = append(wrong, fmt.Errorf("%s; --allow-partial uses the results so far",
				results.NotWhole(r)))
		}
	}
	return errors.Join(wrong...)
}

// Limits of the total numbers of results and of metric values of all inputs.
const (
	maxCompared = 2 * results.MaxResults
	maxValues   = 2 * results.MaxValues
)

// ReadInputs reads PATH, NAME=PATH, or - for standard input. Equal paths get distinct names, as in
// benchstat. A given name is used unchanged, so two inputs may share a column.
func ReadInputs(args []string, stdin io.Reader) (inputs []results.Input, err error) {
	times := make(map[string]int)
	for _, arg := range args {
		times[arg]++
	}
	seen := make(map[string]int)
	runs, values := 0, 0
	for _, arg := range args {
		in := results.Input{Label: arg}
		path := arg
		// out/load=0.8 may be a directory.
		_, none := os.Stat(arg)
		if label, rest, named := strings.Cut(arg, "="); named && none != nil {
			in.Label, path = label, rest
		} else if times[arg] > 1 {
			in.Label = fmt.Sprintf("%s#%d", arg, seen[arg])
			seen[arg]++
		}
		if path == "-" {
			in.Results, err = results.Read(stdin, "-")
		} else {
			in.Results, err = results.ReadFile(path)
		}
		if err != nil {
			return nil, err
		}
		runs += len(in.Results.Runs)
		for _, r := range in.Results.Runs {
			values += len(r.Values)
		}
		if runs > maxCompared || values > maxValues {
			return nil, fmt.Errorf("%s: the inputs up to this one contain more than %d results "+
				"or %d values of metrics", path, maxCompared, maxValues)
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}
