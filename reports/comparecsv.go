package reports

import (
	"encoding/csv"
	"fmt"
	"io"
)

// WriteCSV writes the tables of a comparison as benchstat -format csv does: exact numbers in base units, one row a
// benchmark, an empty line between tables. Notes and the warnings of cells, which benchstat writes to standard error,
// are left out.
func WriteCSV(w io.Writer, c *Comparison) error {
	out := csv.NewWriter(w)
	line := func(cells ...string) { out.Write(cells) } // an error sticks until out.Error
	for _, text := range configLines(c.Config) {
		line(text)
	}
	var before []Pair
	for i := range c.Tables {
		t := &c.Tables[i]
		if i > 0 {
			line("")
		}
		for _, text := range configLines(changed(before, t.Key)) {
			line(text)
		}
		before = t.Key
		for _, record := range t.csv(c.Columns) {
			line(record...)
		}
	}
	out.Flush()
	return out.Error()
}

// csv gives two heads, the rows and the geometric means, each with two columns for the base and four for any other
// input.
func (t *Table) csv(columns []string) [][]string {
	labels, heads := []string{""}, []string{""}
	for i, label := range columns {
		labels, heads = append(labels, label, ""), append(heads, t.Unit, "CI")
		if i > 0 {
			labels, heads = append(labels, "", ""), append(heads, "vs base", "P")
		}
	}
	records := [][]string{labels, heads}
	for _, row := range t.Rows {
		record := []string{row.Name}
		for i, cell := range row.Cells {
			if cell == nil {
				record = append(record, "", "")
			} else {
				record = append(record, fmt.Sprint(cell.Summary.Center), cell.Summary.PctRangeString())
			}
			switch {
			case i == 0:
			case cell == nil || cell.Versus == nil:
				record = append(record, "", "")
			default:
				record = append(record, cell.Versus.FormatDelta(row.Cells[0].Summary.Center, cell.Summary.Center), cell.Versus.String())
			}
		}
		for record[len(record)-1] == "" { // benchstat ends a line with its last cell
			record = record[:len(record)-1]
		}
		records = append(records, record)
	}
	record := []string{"geomean"}
	for i, g := range t.Geomean {
		center := ""
		if g.HasCenter {
			center = fmt.Sprint(g.Center)
		}
		record = append(record, center, "")
		if i > 0 {
			record = append(record, g.delta(), "")
		}
	}
	return append(records, record)
}
