package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/results"
)

// A comparing is what the flags of compare say.
type comparing struct {
	compare.Options
	format       string
	allowPartial bool
}

func (a *app) compareCommand() *cobra.Command {
	var o comparing
	cmd := &cobra.Command{
		Use:                   "compare OLD [NEW...] [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "compare sets of results, or strategies within one",
		Args: func(cmd *cobra.Command, args []string) error {
			return operands("OLD")(cmd, args[:min(1, len(args))])
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.compare(o, args) },
	}
	fs := cmd.Flags()
	metricFlag(cmd, &o.Metrics, "compare only this `METRIC`; repeatable (default all)")
	fs.Var(keys{&o.Col}, "col", "a column for each value of these `KEYS` (default .file)")
	fs.Var(keys{&o.Row}, "row", "a row for each value of these `KEYS` (default .fullname)")
	fs.Var(keys{&o.Table}, "table",
		"a table for each value of these `KEYS`, and metric (default pkg)")
	fs.StringVar(&o.Ignore, "ignore", "", "do not warn if these `KEYS` vary within a cell")
	fs.StringVar(&o.Filter, "filter", "",
		"compare only what matches this `QUERY`, such as '/load:0.8 .unit:ops/s'")
	fs.Var(&fraction{value: &o.Alpha}, "alpha",
		"a difference is significant when p is at most this `P` (default 0.05)")
	fs.Var(&fraction{value: &o.Confidence}, "confidence", "`LEVEL` of the intervals (default 95%)")
	fs.BoolVar(&o.allowPartial, "allow-partial", false,
		"compare interrupted or cut-off results by what they hold")
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
			partial = append(partial, entire(in.Results))
		}
		if err := errors.Join(partial...); err != nil {
			return err
		}
	}
	c, err := compare.All(inputs, o.Options)
	var option *compare.OptionError
	switch {
	case errors.As(err, &option):
		return fmt.Errorf("--%w", err)
	case err != nil:
		return fmt.Errorf("compare: %w", err)
	}
	switch o.format {
	case "markdown":
		return compare.WriteMarkdown(a.stdout, c)
	case "csv":
		for _, note := range slices.Concat(compare.CSVWarnings(c), c.Notes()) {
			// the table has no place for them
			fmt.Fprintln(a.stderr, note)
		}
		return compare.WriteCSV(a.stdout, c)
	case "json":
		return compare.WriteJSON(a.stdout, c)
	}
	return compare.WriteText(a.stdout, c)
}

// keys is a flag for a projection. One that is given and empty is a projection on nothing, and not
// the default.
type keys struct{ value *string }

func (k keys) String() string { return "" }
func (k keys) Type() string   { return "KEYS" }

func (k keys) Set(text string) error {
	if *k.value = text; text == "" {
		*k.value = " "
	}
	return nil
}

// entire refuses results that were interrupted or cut off, which would look like a comparison of
// everything.
func entire(r *results.Results) error {
	switch {
	case r.Cut.Line > 0:
		return fmt.Errorf("%v: the last line is cut off; --allow-partial takes what the file holds",
			r.Cut)
	case r.Partial != "":
		return fmt.Errorf("%s is not whole: %s; --allow-partial takes what it holds",
			r.Path, r.Partial)
	}
	return nil
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
		if label, rest, named := strings.Cut(arg, "="); named && !exists(arg) {
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

// exists tells a directory such as out/load=0.8 from NAME=PATH.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readBoth reads the two inputs of a gate.
func readBoth(args []string) (old, new *results.Results, err error) {
	if old, err = results.ReadFile(args[0]); err != nil {
		return nil, nil, err
	}
	if new, err = results.ReadFile(args[1]); err != nil {
		return nil, nil, err
	}
	return old, new, nil
}
