package compare

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// Two compares two inputs, labelled by their paths.
func Two(old, new *results.Results, opts Options) (*Comparison, error) {
	labels := []string{old.Path, new.Path}
	if old.Path == new.Path { // labels as in benchstat
		labels = []string{old.Path + "#0", new.Path + "#1"}
	}
	return All([]results.Input{{Label: labels[0], Results: old}, {Label: labels[1], Results: new}},
		opts)
}

// All compares runs with benchstat's statistics: centres, intervals, p-values and geometric means
// equal benchstat's for the same options, with these deliberate differences:
//
//   - Tables are split by package alone, since one varying configuration line, such as the commit,
//     would leave nothing to compare. Such keys are reported as Varying. Table ".config" splits as
//     benchstat does.
//   - 0 ns belongs to the metric in seconds. benchstat puts zeros into a separate table.
//   - For samples with ties and of different sizes p is exact, up to 100 values in both together.
//     benchstat's p depends on the order: 0.367 or 0.583 for 0,0,0,0,0,0,1 and 0,1,1.
//   - If a line gives a unit twice, only the first value counts, with a warning.
//   - Cells past column Z of the CSV are named as in a spreadsheet, AA6 after Z6 (benchstat: BA6).
//   - Read rejects NaN and infinite values.
//   - A note reports if nothing is compared, or if inputs are pooled because no projection names
//     .file.
//   - Text has a table for each metric, marks significant differences as better, worse or differs
//     (no direction known), and prints the common part of all names once.
//
// As in benchstat, the change from a base of 0 is shown as "?". Text and Markdown add the verdict
// in words.
//
// Errors are: an option that does not parse (*OptionError), contradicting Unit lines, no metric of
// opts in any input, too many samples (results.ErrSamples), nothing that passes the filter, unless
// opts.Table was given, several columns without a common row, and, with Brief, a single column.
func All(inputs []results.Input, opts Options) (*Comparison, error) {
	if len(inputs) == 0 {
		panic("reports: nothing to compare")
	}
	opts.Alpha = cmp.Or(opts.Alpha, benchmath.DefaultThresholds.CompareAlpha)
	opts.Confidence = cmp.Or(opts.Confidence, 0.95)
	if opts.Alpha < 0 || opts.Alpha >= 1 || opts.Confidence < 0 || opts.Confidence >= 1 {
		return nil, fmt.Errorf("alpha %v and confidence %v must be between 0 and 1",
			opts.Alpha, opts.Confidence)
	}
	opts.Brief = opts.Brief && fromPoolbench(inputs)
	var distinguishing []results.Pair
	if opts.Brief {
		distinguishing = distinguishingKeys(inputs, opts)
	}
	by, err := newProjections(opts, distinguishing)
	if err == nil {
		err = withoutSlash(opts, inputs)
	}
	if err != nil {
		return nil, err
	}
	inputs = withoutCopies(inputs, by.namesFile)
	units, err := results.MergeUnits(inputs)
	if err != nil {
		return nil, err
	}
	for unit, d := range opts.Better {
		results.SetBetter(units, unit, d)
	}
	metrics, err := results.ChooseMetrics(opts.Metrics, inputs)
	if err != nil {
		return nil, err
	}
	if opts.Brief && len(opts.Metrics) == 0 && !strings.Contains(opts.Filter, ".unit") {
		metrics = deciding(metrics, inputs)
	}
	g := newGrid(by)
	var unused []string
	for _, in := range inputs {
		added, err := g.addResults(in, metrics)
		if err != nil {
			return nil, err
		}
		if added == 0 {
			unused = append(unused, in.Label)
		}
	}
	if len(g.tables) == 0 {
		return nil, &OptionError{"filter",
			errors.New("no result in " + strings.Join(results.LabelsOf(inputs), ", ") + " passes")}
	}
	c := g.comparison(units, opts)
	if offersDiffer(distinguishing, inputs) {
		for i := range c.Tables {
			if t := &c.Tables[i]; t.Unit == metric.Throughput || t.Unit == metric.Goodput {
				t.Better = 0 // it follows the offered rate
			}
		}
	}
	if c.Tasks, c.Parts, err = g.compareTasks(inputs); err != nil {
		return nil, err
	}
	for _, p := range distinguishing {
		v := Variation{Key: "/" + p.Key}
		for _, in := range inputs {
			v.Values = append(v.Values, []string{in.Results.Runs[0].Key(p.Key)})
		}
		c.Varying = append(c.Varying, v)
	}
	c.Warnings = results.InputWarnings(inputs)
	for _, label := range unused {
		c.Warnings = append(c.Warnings, "no result in "+label+" passes the filter")
	}
	if len(inputs) > 1 && !by.namesFile {
		c.Warnings = append(c.Warnings, "the inputs are pooled, because no projection contains "+
			".file; to pool them without this note, ignore .file")
	}
	if opts.Brief && !c.compared && len(c.Columns) == 1 {
		return nil, g.oneColumn(c, inputs, opts)
	}
	if wanted := len(inputs) > 1 || opts.Col != ""; wanted && !c.compared {
		if opts.Table == "" && len(c.Columns) > 1 {
			return nil, g.nothingShared(c, inputs, opts)
		}
		c.Warnings = append(c.Warnings, g.nothingCompared(c))
	}
	return c, nil
}

// withoutSlash returns an error for a key of names that is given without its slash, which would be
// a key of configuration lines.
func withoutSlash(opts Options, inputs []results.Input) error {
	for _, option := range []struct{ name, keys string }{{"col", opts.Col}, {"row", opts.Row},
		{"table", opts.Table}} {
		for _, key := range strings.FieldsFunc(option.keys, func(r rune) bool {
			return r == ',' || r == ' '
		}) {
			key, _, _ = strings.Cut(key, "@")
			named := len(keyValues(inputs, func(r *results.Run) string { return r.Key(key) })) > 0
			if configured := keyValues(inputs, func(r *results.Run) string {
				return r.ConfigValue(key)
			}); named && len(configured) == 0 {
				return &OptionError{option.name, fmt.Errorf("%s is part of the names of results, so "+
					"use --%s /%s", key, option.name, key)}
			}
		}
	}
	return nil
}

// keyValues returns the distinct values that are not empty.
func keyValues(inputs []results.Input, value func(*results.Run) string) []string {
	var all []string
	for _, in := range inputs {
		for i := range in.Results.Runs {
			if v := value(&in.Results.Runs[i]); v != "" {
				all = append(all, v)
			}
		}
	}
	return text.Distinct(all)
}

// oneColumn is the error that only one column contains results, with the next step.
func (g *grid) oneColumn(c *Comparison, inputs []results.Input, opts Options) error {
	if len(inputs) > 1 || opts.Col != "" {
		return errors.New(g.nothingCompared(c))
	}
	next := "give two directories or files, OLD and NEW"
	for _, p := range inputs[0].Results.Runs[0].Keys {
		values := keyValues(inputs, func(r *results.Run) string { return r.Key(p.Key) })
		if len(values) > 1 {
			next += fmt.Sprintf(", or --col /%s for %s", p.Key, text.Abbreviate(values))
			break
		}
	}
	return fmt.Errorf("%s alone cannot be compared: %s", c.Columns[0], next)
}

func (g *grid) nothingShared(c *Comparison, inputs []results.Input, opts Options) error {
	if len(inputs) != 2 || opts.Row != "" || opts.Col != "" {
		return errors.New(g.nothingCompared(c))
	}
	old, new := inputs[0].Results, inputs[1].Results
	names := make(map[string]bool)
	for i := range old.Runs {
		names[old.Runs[i].Qualified()] = true
	}
	for i := range new.Runs {
		if name := new.Runs[i].Qualified(); names[name] {
			return fmt.Errorf(
				"%s and %s have no metric of %s in common, nor of any other benchmark",
				old.Path, new.Path, name)
		}
	}
	return fmt.Errorf("%s and %s have no benchmark in common (for instance, the first has %s and "+
		"the second %s)",
		old.Path, new.Path, old.Runs[0].Qualified(), new.Runs[0].Qualified())
}

func (g *grid) nothingCompared(c *Comparison) string {
	col, row, table := fieldNames(g.colBy), fieldNames(g.rowBy), fieldNames(g.tableBy)
	if len(c.Columns) == 1 {
		return fmt.Sprintf("nothing to compare: every result is in one column (%s: "+
			"%q)", col, c.Columns[0])
	}
	return fmt.Sprintf("nothing to compare: no row (%s) has values in two columns (%s) of one "+
		"table (%s)",
		row, col, table)
}
