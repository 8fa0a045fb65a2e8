package reports

import (
	"fmt"
	"strings"
)

// Notes are all that a reader should know beside the tables, one line each: what is missing, what varies, and what was
// odd about the inputs.
func (c *Comparison) Notes() []string {
	var notes []string
	for _, m := range c.Missing {
		if m.Unit == "" {
			notes = append(notes, fmt.Sprintf("%s has no %s", m.Column, m.Benchmark))
		} else {
			notes = append(notes, fmt.Sprintf("%s has no %s of %s", m.Column, m.Unit, m.Benchmark))
		}
	}
	for _, v := range c.Varying {
		notes = append(notes, v.describe(c.Columns))
	}
	return append(notes, c.Warnings...)
}

func (v Variation) describe(columns []string) string {
	const most = 3 // values to name: a log line may come in thousands of variants
	var sides []string
	for i, values := range v.Values {
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

func inputWarnings(inputs ...*Results) []string {
	var lines []string
	for _, r := range inputs {
		if r.Partial != "" {
			lines = append(lines, notWhole(r))
		}
		lines = append(lines, r.Warnings...)
	}
	return lines
}

func notWhole(r *Results) string { return fmt.Sprintf("%s is not whole: %s", r.Path, r.Partial) }
