package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// Notes returns the lines below the tables: missing rows, varying configuration, doubts, and
// warnings.
func (c *Comparison) Notes() []string { return c.notes(false) }

func (c *Comparison) notes(inWords bool) []string {
	notes := c.missingNotes(inWords)
	for _, v := range c.Varying {
		notes = append(notes, v.Describe(c.Columns))
	}
	return slices.Concat(notes, c.DoubtLines(), c.uncertainLines(), c.Warnings)
}

func (c *Comparison) missingNotes(inWords bool) (notes []string) {
	const most = 4
	for _, of := range results.Gather(c.Missing, func(m Missing) [2]string {
		return [2]string{m.Column, m.Unit}
	}) {
		first, what, nor := of[0], of[0].Benchmark, ", nor "
		if inWords {
			what = c.name(what)
		}
		if unit := first.Unit; unit != "" {
			if inWords {
				unit = shell.Metric(unit)
			}
			what, nor = unit+" of "+what, nor+"of "
		}
		if n := len(of) - 1; n > 0 {
			what += nor + text.Count(n, "other row")
		}
		notes = append(notes, fmt.Sprintf("%s has no %s", first.Column, what))
	}
	if inWords && len(notes) > most {
		return []string{"some rows are not in every column: --all lists the missing ones"}
	}
	return notes
}

// Describe lists the varying values by column.
func (v Variation) Describe(columns []string) string {
	const most = 3 // values to name: a log line may have thousands of variants
	var sides []string
	for i, values := range v.Values {
		if len(values) == 0 { // a column without the chosen metrics
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

// DoubtLines lists why runs are not VALID, each reason once, with its cells.
func (c *Comparison) DoubtLines() []string {
	cells, seen := map[string]int{}, map[[2]string]bool{}
	var all []*results.DoubtfulCell
	for i := range c.Tables {
		t := &c.Tables[i]
		for _, row := range t.Rows {
			for column, cell := range row.Cells {
				at := [2]string{t.RowName(row), c.Columns[column]}
				if cell == nil || seen[at] {
					continue
				}
				seen[at] = true
				cells[at[1]]++
				if cell.doubted != nil {
					d := *cell.doubted
					if d.Row = ""; c.rows > 1 {
						d.Row = c.name(row.Name)
					}
					all = append(all, &d)
				}
			}
		}
	}
	return results.DoubtLines(all, cells)
}

func (c *Comparison) uncertainLines() []string {
	var all []results.ShownMetric
	for i := range c.Tables {
		for _, row := range c.Tables[i].Rows {
			for _, cell := range row.Cells {
				if cell != nil {
					all = append(all, results.ShownMetric{Cell: cell.runs, Unit: c.Tables[i].Unit})
				}
			}
		}
	}
	return results.UncertainLines(all)
}
