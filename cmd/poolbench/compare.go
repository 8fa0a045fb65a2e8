package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/reports"
)

const compareHelp = `compare sets results side by side: medians, intervals and p-values are benchstat's, and every metric whose direction is
known says better or worse. A row is a benchmark, a column is an input, and the first column is the base of the others.

An input is a run directory, a results.txt, the output of 'go test -bench' with or without -json, or - for standard
input; NAME=PATH names its column. An interval takes 6 repetitions, a difference at least 4 on each side: run --count 10.

--col, --row, --table, --ignore and --filter arrange what is compared, in benchstat's own syntax: keys are .name,
.fullname, .file, .config, /key of a benchmark's name, and key of a configuration line; key@num, key@alpha and
key@(one two) give an order. So one file is compared within itself, as strategy against strategy: --col /strategy.

Unlike benchstat's, tables are split by package only, so that "commit: 1a2b" in one file and "commit: 3c4d" in the other do
not keep them from being compared: what varies is listed below the tables. --table .config does as benchstat does. And p is
exact for samples with ties and of different sizes, where benchstat's depends on which comes first.

To let CI decide, see gate: compare tests every metric by itself, so among many some differ by chance.`

// A comparing is what the flags of compare say.
type comparing struct {
	reports.CompareOptions
	format       string
	allowPartial bool
}

func (a *app) compareCommand() *cobra.Command {
	var o comparing
	cmd := &cobra.Command{
		Use:                   "compare OLD [NEW...] [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "compare sets of results, or strategies within one",
		Long:                  compareHelp,
		Example: `  poolbench compare poolbench-out/before poolbench-out/after
  poolbench compare old.txt new.txt --metric p99-response-sec --metric ops/s --format markdown
  poolbench compare A=old.txt B=new.txt --filter '.unit:ops/s' --format csv
  poolbench compare poolbench-out/latest --col /strategy --metric p99-response-sec`,
		Args: func(cmd *cobra.Command, args []string) error {
			return operands("OLD")(cmd, args[:min(1, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.compare(o, args) },
	}
	fs := cmd.Flags()
	metricFlag(cmd, &o.Metrics, "compare only this `METRIC`, may be given again (default all)")
	fs.Var(keys{&o.Col}, "col", "a column for each value of these `KEYS` (default .file)")
	fs.Var(keys{&o.Row}, "row", "a row for each value of these `KEYS` (default .fullname)")
	fs.Var(keys{&o.Table}, "table", "a table for each value of these `KEYS`, and metric (default pkg)")
	fs.StringVar(&o.Ignore, "ignore", "", "let these `KEYS` vary within a cell without a warning")
	fs.StringVar(&o.Filter, "filter", "", "compare only what matches this `QUERY`, such as '/load:0.8 .unit:ops/s'")
	fs.Var(&fraction{value: &o.Alpha}, "alpha", "a difference counts when p is at most this `P` (default 0.05)")
	fs.Var(&fraction{value: &o.Confidence}, "confidence", "`LEVEL` of the intervals (default 95%)")
	fs.BoolVar(&o.allowPartial, "allow-partial", false, "compare results that were interrupted or cut off by what they hold")
	choiceFlag(cmd, &o.format, "format", "output", "text", "markdown", "csv", "json")
	return cmd
}

func (a *app) compare(o comparing, args []string) error {
	inputs, err := a.readInputs(args)
	if err != nil {
		return err
	}
	if !o.allowPartial {
		var partial []error
		for _, in := range inputs {
			partial = append(partial, whole(in.Results))
		}
		if err := errors.Join(partial...); err != nil {
			return err
		}
	}
	c, err := reports.CompareAll(inputs, o.CompareOptions)
	var option *reports.OptionError
	switch {
	case errors.As(err, &option):
		return fmt.Errorf("--%w", err)
	case err != nil:
		return fmt.Errorf("compare: %w", err)
	}
	switch o.format {
	case "markdown":
		return reports.WriteMarkdown(a.stdout, c)
	case "csv":
		for _, note := range slices.Concat(reports.CSVWarnings(c), c.Notes()) { // the table has no place for them
			fmt.Fprintln(a.stderr, note)
		}
		return reports.WriteCSV(a.stdout, c)
	case "json":
		return reports.WriteJSON(a.stdout, c)
	}
	return reports.WriteText(a.stdout, c)
}

// keys is a flag for a projection. One that is given and empty is a projection on nothing, and not the default.
type keys struct{ value *string }

func (k keys) String() string { return "" }
func (k keys) Type() string   { return "KEYS" }

func (k keys) Set(text string) error {
	if *k.value = text; text == "" {
		*k.value = " "
	}
	return nil
}

// whole refuses results that were interrupted or cut off, which would look like a comparison of everything.
func whole(r *reports.Results) error {
	switch {
	case r.Cut.Line > 0:
		return fmt.Errorf("%v: the last line is cut off; --allow-partial takes what the file holds", r.Cut)
	case r.Partial != "":
		return fmt.Errorf("%s is not whole: %s; --allow-partial takes what it holds", r.Path, r.Partial)
	}
	return nil
}

// readInputs reads the inputs of a comparison: PATH, NAME=PATH, or - for standard input. Columns of one path are told
// apart as benchstat does; a name is taken as it is, so that two inputs may share a column.
func (a *app) readInputs(args []string) (inputs []reports.Input, err error) {
	times := make(map[string]int)
	for _, arg := range args {
		times[arg]++
	}
	seen := make(map[string]int)
	for _, arg := range args {
		in := reports.Input{Label: arg}
		path := arg
		if label, rest, named := strings.Cut(arg, "="); named && !exists(arg) {
			in.Label, path = label, rest
		} else if times[arg] > 1 {
			in.Label = fmt.Sprintf("%s#%d", arg, seen[arg])
			seen[arg]++
		}
		if path == "-" {
			in.Results, err = reports.Read(a.stdin, "-")
		} else {
			in.Results, err = reports.ReadFile(path)
		}
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// exists tells a directory such as out/load=0.8 from NAME=PATH.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readBoth reads the two inputs of a gate.
func readBoth(args []string) (old, new *reports.Results, err error) {
	if old, err = reports.ReadFile(args[0]); err != nil {
		return nil, nil, err
	}
	if new, err = reports.ReadFile(args[1]); err != nil {
		return nil, nil, err
	}
	return old, new, nil
}
