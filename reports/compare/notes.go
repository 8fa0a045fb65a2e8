package compare

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/reports/results"
)

// Notes returns the lines below the tables: missing rows, varying configuration, and warnings about
// the inputs.
func (c *Comparison) Notes() []string {
	notes := missingNotes(c.Missing)
	for _, v := range c.Varying {
		notes = append(notes, v.Describe(c.Columns))
	}
	return append(notes, c.Warnings...)
}

// missingNotes has a line for each that is missing, or, of many that one column lacks, one for all.
func missingNotes(missing []Missing) (notes []string) {
	const most = 2
	type lack struct{ column, unit string }
	by := make(map[lack][]string)
	for _, m := range missing {
		by[lack{m.Column, m.Unit}] = append(by[lack{m.Column, m.Unit}], m.Benchmark)
	}
	for _, m := range missing {
		what, names := "", by[lack{m.Column, m.Unit}]
		if m.Unit != "" {
			what = m.Unit + " of "
		}
		switch {
		case len(names) <= most:
			notes = append(notes, fmt.Sprintf("%s has no %s%s", m.Column, what, m.Benchmark))
		case names[0] == m.Benchmark:
			notes = append(notes, fmt.Sprintf("%s has no %s%s, and %d more of its rows are empty",
				m.Column, what, m.Benchmark, len(names)-1))
		}
	}
	return notes
}

// Describe says what varies in which column.
func (v Variation) Describe(columns []string) string {
	const most = 3 // values to name: a log line may come in thousands of variants
	var sides []string
	for i, values := range v.Values {
		if len(values) == 0 { // a column without the metrics chosen
			continue
		}
		shown := make([]string, 0, most)
		for _, value := range values[:min(most, len(values))] {
			if value == "" {
				value = "none"
			}
			shown = append(shown, value)
		}
		if more := len(values) - most; more > 0 {
			shown = append(shown, fmt.Sprintf("%d more", more))
		}
		sides = append(sides, fmt.Sprintf("%s in %s", strings.Join(shown, ", "), columns[i]))
	}
	return fmt.Sprintf("benchmarks vary in %s: %s", v.Key, strings.Join(sides, "; "))
}

// invalidRuns counts the runs that poolbench itself does not believe, which a comparison takes all
// the same.
func invalidRuns(inputs []results.Input) (lines []string) {
	for _, in := range inputs {
		n, first := 0, 0
		for i := range in.Results.Runs {
			if run := &in.Results.Runs[i]; run.Invalid() {
				if n++; n == 1 {
					first = run.Pos.Line
				}
			}
		}
		if n > 0 {
			lines = append(lines,
				fmt.Sprintf("%s: %d of %d runs are INVALID (first in "+
					"line %d)", in.Results.Path, n, len(in.Results.Runs), first))
		}
	}
	return lines
}
