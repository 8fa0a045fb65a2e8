package page

import (
	"html"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// A Table is ready for the page: every word in its place.
type Table struct {
	Caption string
	Folded  bool   // under a summary that is the caption
	Of      string // what its rows are: strategies
	Heads   []Head
	Bodies  []Body
}

// Span is the number of columns, that of the names included.
func (t Table) Span() int { return len(t.Heads) + 1 }

// A Head is that of a column, with what explains it.
type Head struct{ Text, Hint string }

// A Body is a part of the table under a heading of its own: one load.
type Body struct {
	Title string
	Rows  []Row
}

// A Row is that of a cell.
type Row struct {
	Name   string
	Also   []string        // others that have the same in each column
	Swatch shell.HTML      // of the series; empty where there are no charts
	Doubt  *results.Doubts // nil where nothing is said against it
	Cells  []Value
}

// Label is the name after its swatch, if there is one. It may be broken into lines at its
// underscores and between its parameters where it is long.
func (r Row) Label() shell.HTML {
	name := html.EscapeString(r.Name)
	if len(r.Name) > shortName {
		name = breakable.Replace(name)
	}
	if r.Swatch != "" {
		return r.Swatch + " " + shell.HTML(name)
	}
	return shell.HTML(name)
}

// shortName is as wide as the column of names is on a phone.
const shortName = 16

var breakable = strings.NewReplacer("_", "_<wbr>", ":", ":<wbr>", ",", ",<wbr>")

// Value is a number with what stands below it, on a line of its own: an interval, or a
// comparison.
type Value struct{ Text, Below string }

var absent = Value{Text: "–"}

// Results makes the main table of a group.
func Results(g *Group) Table {
	columns := shown(g, Columns)
	if Foreign(g) {
		columns = foreignColumns(g)
	}
	columns = withDeciding(g, columns)
	if slices.ContainsFunc(g.Cells, func(c *Cell) bool { return statusColumn.of(c) != absent }) {
		columns = append(columns, statusColumn)
	}
	heads, verdicts := objectiveColumns(g)
	t := Table{Caption: "Values with their intervals, by " + g.Of(), Of: g.Of(), Heads: heads}
	var all []results.Shown
	for _, c := range g.Cells {
		for _, col := range columns {
			all = append(all, results.Shown{Cell: c.Cell, Unit: col.Unit})
		}
	}
	for _, line := range results.UncertainLines(all) {
		t.Caption += ". " + line
	}
	fill(g, &t, columns, verdicts...)
	return t
}

// withDeciding puts the columns of the metrics that a study's verdict rests on before the others.
func withDeciding(g *Group, columns []Column) []Column {
	var first []Column
	for _, unit := range g.Decides {
		if !hasMetric(g.Cells, unit) {
			continue
		}
		of := func(c Column) bool { return c.Unit == unit && c.Value == nil }
		col := Column{Head: metricLabel(unit), Unit: unit}
		if i := slices.IndexFunc(Columns, of); i >= 0 {
			col = Columns[i]
		}
		first = append(first, col)
		columns = slices.DeleteFunc(slices.Clone(columns), of)
	}
	return append(first, columns...)
}

// shown are the columns that tell the group anything.
func shown(g *Group, columns []Column) []Column {
	return slices.DeleteFunc(slices.Clone(columns), func(col Column) bool {
		return !hasMetric(g.Cells, col.Unit) || col.show != nil && !col.show(g.Cells, col.Unit)
	})
}

// fill adds the columns and a row for each cell, which begins with what first says.
func fill(g *Group,
	t *Table, columns []Column, first ...func(*Cell) Value,
) {
	for _, col := range columns {
		if g.Study >= 0 { // which may have a hundred tables: the explorer has the hints
			col.Hint = ""
		}
		t.Heads = append(t.Heads, Head{col.Head, col.Hint})
	}
	for _, body := range bodies(g) {
		b := Body{Title: body.title}
		for _, c := range body.cells {
			row := row(c)
			for _, value := range first {
				row.Cells = append(row.Cells, value(c))
			}
			for _, col := range columns {
				row.Cells = append(row.Cells, col.of(c))
			}
			b.add(row)
		}
		t.Bodies = append(t.Bodies, b)
	}
}

// without leaves rows out, and parts that have no others.
func (t *Table) without(row func(Row) bool) {
	for i := range t.Bodies {
		t.Bodies[i].Rows = slices.DeleteFunc(t.Bodies[i].Rows, row)
	}
	t.Bodies = slices.DeleteFunc(t.Bodies, func(b Body) bool { return len(b.Rows) == 0 })
}

// add appends a row, or its name to that of a row that says the same.
func (b *Body) add(row Row) {
	for i := range b.Rows {
		r := &b.Rows[i]
		if slices.Equal(r.Cells, row.Cells) && r.verdict() == row.verdict() {
			r.Also = append(r.Also, row.Name)
			return
		}
	}
	b.Rows = append(b.Rows, row)
}

func (r *Row) verdict() results.Verdict {
	if r.Doubt == nil {
		return results.Valid
	}
	return r.Doubt.Verdict
}

func (col Column) of(c *Cell) Value {
	e, ok := c.Estimate(col.Unit)
	switch {
	case !ok:
		return absent
	case col.Value != nil:
		return col.Value(c)
	}
	if share, uncertain := c.Uncertain(col.Unit); uncertain {
		return Value{Text: c.Show(col.Unit), Below: errorText(share)}
	}
	format := col.format
	if format == nil {
		format = func(v float64) string { return text.Metric(col.Unit, v) }
	}
	v := Value{Text: format(e.Mid)}
	if lo, hi := format(e.Lo), format(e.Hi); lo != hi {
		v.Below = text.Span(lo, " – ", hi)
	}
	return v
}

// errorText is the 95 % error of an uncertain value.
func errorText(share float64) string {
	if math.IsInf(share, 1) {
		return rundir.CheckLength
	}
	return "±" + text.Share(share)
}

func row(c *Cell) Row {
	r := Row{Name: c.Strategy}
	if c.Strategy == "" {
		r.Name = c.Name
	} else {
		r.Swatch = shell.HTML(charts.Swatch(c.Style))
	}
	r.Doubt = c.Doubts()
	return r
}

type groupBody struct {
	title string
	cells []*Cell
}

// bodies divides the cells by what varies in the group other than the strategy.
func bodies(g *Group) (out []groupBody) {
	for _, c := range g.Cells {
		title := c.Place()
		if g.OneLimit() != "" {
			title = c.LoadText()
		}
		if len(out) == 0 || out[len(out)-1].title != title {
			out = append(out, groupBody{title: title})
		}
		b := &out[len(out)-1]
		b.cells = append(b.cells, c)
	}
	return out
}
