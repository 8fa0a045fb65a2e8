package reports

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// CompareOptions are the settings of Compare. The zero value has benchstat's defaults.
type CompareOptions struct {
	Alpha      float64  // a difference counts when p ≤ Alpha; 0 means 0.05
	Confidence float64  // level of the intervals; 0 means 0.95
	Metrics    []string // only these, tidied or not (ns/op is sec/op); none means all
}

// Comparison holds tables of one cell per benchmark, metric and input. The first column is the base of the others.
type Comparison struct {
	Columns    []string // labels of the inputs: their paths
	Config     []Pair   // configuration that all runs share
	Tables     []Table  // one per metric (and package), in the order of first appearance
	Missing    []Missing
	Varying    []Variation // configuration that runs differ in: what is compared may not be like with like
	Warnings   []string    // on the inputs: those of reading, and files that are not whole
	Alpha      float64
	Confidence float64
}

// Table compares one metric.
type Table struct {
	Key     []Pair // what sets the table apart beside its unit: pkg, when there is one
	Unit    string
	Better  int  // +1: higher is better, −1: lower is, 0: not known
	Exact   bool // the Unit line says assume=exact: the values are taken as they are, without intervals and p-values
	Rows    []Row
	Geomean []Geomean // by column; meaningful for two rows or more
}

// Row is one benchmark of a table.
type Row struct {
	Name  string
	Cells []*Cell // by column; nil where the benchmark is missing
}

// Cell is one sample: the values of a metric in the repetitions of a benchmark in one input.
type Cell struct {
	Sample  *benchmath.Sample     // values in ascending order; its warnings tell of configuration that varies within it
	Summary benchmath.Summary     // median and interval, or what the Unit line's assume= asks for
	Versus  *benchmath.Comparison // with the cell of the first column; nil there, and where either is missing
}

// Geomean summarises a column. The ratio is the geometric mean of the rows' ratios, not the ratio of the two means: so
// a benchmark that one column lacks does not distort it. An equal pair, 0 and 0 too, has the ratio 1.
type Geomean struct {
	Center   float64 // of the centres; meaningful if HasCenter
	Ratio    float64 // to the first column; meaningful if HasRatio
	Warnings []error

	HasCenter, HasRatio bool
}

// Missing says that a column lacks a benchmark that another has.
type Missing struct {
	Benchmark string // with its package, when there is one
	Unit      string // the metric it lacks; "" when it has no run at all
	Column    string
}

// Variation is a configuration key with the values that it takes, by column. A run without the key has the value "".
type Variation struct {
	Key    string
	Values [][]string
}

// Compare compares every metric of every benchmark of two inputs with benchstat's statistics: centres, intervals,
// p-values and geometric means are those that benchstat prints, but for these differences, all on purpose:
//
//   - Tables are split by metric and package alone, not by every configuration line: benchstat compares nothing, and
//     says nothing, when a commit or a stray log line tells the inputs apart. Here such keys are reported as Varying.
//   - A value of 0 ns belongs to the metric in seconds; benchstat gives it a table of its own.
//   - For samples with ties and of different sizes p is exact; benchstat's is wrong there.
//   - NaN and infinite values do not get past Read.
//
// It is an error when the Unit lines of the inputs contradict each other, when they have no benchmark in common, and
// when a metric of opts is in neither.
func Compare(old, new *Results, opts CompareOptions) (*Comparison, error) {
	if opts.Alpha == 0 {
		opts.Alpha = benchmath.DefaultThresholds.CompareAlpha
	}
	if opts.Confidence == 0 {
		opts.Confidence = 0.95
	}
	if opts.Alpha < 0 || opts.Alpha >= 1 || opts.Confidence < 0 || opts.Confidence >= 1 {
		return nil, fmt.Errorf("alpha %v and confidence %v must be between 0 and 1", opts.Alpha, opts.Confidence)
	}
	units, err := mergeUnits(old, new)
	if err != nil {
		return nil, err
	}
	metrics, err := chooseMetrics(opts.Metrics, old, new)
	if err != nil {
		return nil, err
	}
	g := newGrid("pkg", ".fullname", ".file")
	labels := columnLabels(old, new)
	for i, results := range []*Results{old, new} {
		g.addResults(results, labels[i], metrics)
	}
	c := g.comparison(labels, units, opts)
	if !c.sharesARow() {
		return nil, nothingShared(old, new)
	}
	c.Warnings = inputWarnings(old, new)
	return c, nil
}

func (c *Comparison) sharesARow() bool {
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			if !slices.Contains(row.Cells, nil) {
				return true
			}
		}
	}
	return false
}

// nothingShared explains why there is nothing to compare.
func nothingShared(old, new *Results) error {
	qualified := func(run *Run) string {
		if pkg := run.ConfigValue("pkg"); pkg != "" {
			return pkg + "." + run.Name
		}
		return run.Name
	}
	names := make(map[string]bool)
	for i := range old.Runs {
		names[qualified(&old.Runs[i])] = true
	}
	for i := range new.Runs {
		if name := qualified(&new.Runs[i]); names[name] {
			return fmt.Errorf("%s and %s have no metric of %s in common, nor of any other benchmark", old.Path, new.Path, name)
		}
	}
	return fmt.Errorf("%s and %s have no benchmark in common (for instance, the first has %s and the second %s)",
		old.Path, new.Path, qualified(&old.Runs[0]), qualified(&new.Runs[0]))
}

// Change says in a word how the cell in a column of a row of this table differs from the base: "better", "worse",
// "differs" when the metric's direction is not known, or "" when there is no significant difference.
func (t *Table) Change(row *Row, column int) string {
	cell := row.Cells[column]
	if cell == nil || cell.Versus == nil || cell.Versus.P > cell.Versus.Alpha {
		return ""
	}
	base, now := row.Cells[0].Summary.Center, cell.Summary.Center
	switch {
	case base == now:
		return ""
	case t.Better == 0:
		return "differs"
	case (now > base) == (t.Better > 0):
		return "better"
	}
	return "worse"
}

// mergeUnits joins the metadata of both inputs.
func mergeUnits(old, new *Results) (benchfmt.UnitMetadataMap, error) {
	units := make(benchfmt.UnitMetadataMap)
	for _, r := range []*Results{old, new} {
		for key, meta := range r.Units {
			if before, ok := units[key]; ok && before.Value != meta.Value {
				return nil, fmt.Errorf("%s says %s=%s of %s, but %s says %s", r.Path, key.Key, meta.Value, key.Unit, old.Path, before.Value)
			}
			units[key] = meta
		}
	}
	return units, nil
}

// chooseMetrics returns the tidied names of the metrics asked for, or all when none are.
func chooseMetrics(asked []string, old, new *Results) ([]string, error) {
	all := slices.Clone(old.Metrics)
	for _, unit := range new.Metrics {
		if !slices.Contains(all, unit) {
			all = append(all, unit)
		}
	}
	if len(asked) == 0 {
		return all, nil
	}
	var metrics []string
	for _, name := range asked {
		_, unit := benchunit.Tidy(1, name)
		if !slices.Contains(all, unit) {
			return nil, fmt.Errorf("no metric %s in %s or %s (there are %s)", name, old.Path, new.Path, strings.Join(all, ", "))
		}
		if !slices.Contains(metrics, unit) {
			metrics = append(metrics, unit)
		}
	}
	return metrics, nil
}

// columnLabels tells two inputs of one path apart as benchstat does.
func columnLabels(old, new *Results) []string {
	if old.Path == new.Path {
		return []string{old.Path + "#0", new.Path + "#1"}
	}
	return []string{old.Path, new.Path}
}
