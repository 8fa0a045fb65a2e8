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

// A Table is a formatted table of the page.
type Table struct {
	Caption string
	Folded  bool   // folded below a summary with the caption
	Of      string // subject of its rows: strategies
	Heads   []Head
	Bodies  []Body

	shown []results.ShownMetric // the caption explains its uncertain values
}

// Title returns the caption with the meaning of marks.
func (t Table) Title() string {
	return strings.Join(append([]string{t.Caption}, results.UncertainLines(t.shown)...), ". ")
}

// Span returns the number of columns, including names.
func (t Table) Span() int { return len(t.Heads) + 1 }

// A Head is the head of a column with an explanation.
type Head struct{ Text, Hint string }

// A Body is a part of the table with a heading, such as a load.
type Body struct {
	Title string
	Rows  []Row
}

// A Row is the row of a cell.
type Row struct {
	Name   string
	Also   []string        // others with equal columns
	Swatch shell.HTML      // of the series. Empty without charts
	Doubt  *results.Doubts // nil without doubts
	Cells  []Value
}

// Label returns the swatch, if any, and the name, which may break at underscores and parameters.
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

const shortName = 16

var breakable = strings.NewReplacer("_", "_<wbr>", ":", ":<wbr>", ",", ",<wbr>")

// Value is a number above a second line, such as an interval or a comparison.
type Value struct{ Text, Below string }

var absent = Value{Text: "–"}

// joinTables joins tables with the same columns.
func joinTables(groups []reportSection, table func(*reportSection) *Table) (all []*Table) {
	for i := range groups {
		t := table(&groups[i])
		if t == nil {
			continue
		}
		at := slices.IndexFunc(all, func(o *Table) bool { return slices.Equal(o.Heads, t.Heads) })
		if at < 0 {
			copied := *t
			copied.Bodies, copied.shown = nil, nil
			at, all = len(all), append(all, &copied)
		}
		into := all[at]
		into.shown = append(into.shown, t.shown...)
		for _, b := range t.Bodies {
			b.Title = strings.Trim(groups[i].Own+" · "+b.Title, " ·")
			into.Bodies = append(into.Bodies, b)
		}
	}
	return all
}

// Results returns the main table of a group.
func Results(g *Group) Table {
	columns := shownColumns(g, Columns)
	if Foreign(g) {
		columns = foreignColumns(g)
	}
	columns = withDeciding(g, columns)
	if slices.ContainsFunc(g.Cells, func(c *Cell) bool { return statusColumn.value(c) != absent }) {
		columns = append(columns, statusColumn)
	}
	heads, verdicts := objectiveColumns(g)
	t := Table{Caption: "Values with their intervals, by " + g.Varies(), Of: g.Varies(), Heads: heads}
	var all []results.ShownMetric
	for _, c := range g.Cells {
		for _, col := range columns {
			all = append(all, results.ShownMetric{Cell: c.Cell, Unit: col.Unit})
		}
	}
	t.shown = all
	fill(g, &t, columns, verdicts...)
	return t
}

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

func shownColumns(g *Group, columns []Column) []Column {
	return slices.DeleteFunc(slices.Clone(columns), func(col Column) bool {
		return !hasMetric(g.Cells, col.Unit) || col.show != nil && !col.show(g.Cells, col.Unit)
	})
}

func fill(g *Group,
	t *Table, columns []Column, first ...func(*Cell) Value,
) {
	for _, col := range columns {
		if g.Study >= 0 { // a study may have a hundred tables: the explorer has the hints
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
				row.Cells = append(row.Cells, col.value(c))
			}
			b.add(row)
		}
		t.Bodies = append(t.Bodies, b)
	}
	t.dropEmpty(len(first))
}

// dropEmpty removes columns without values, starting at column from. A value too uncertain to be
// shown counts, because its error is shown.
func (t *Table) dropEmpty(from int) {
	for i := len(t.Heads) - 1; i >= from; i-- {
		if slices.ContainsFunc(t.Bodies, func(b Body) bool {
			return slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Cells[i] != absent })
		}) {
			continue
		}
		t.Heads = slices.Delete(t.Heads, i, i+1)
		for _, b := range t.Bodies {
			for j := range b.Rows {
				b.Rows[j].Cells = slices.Delete(b.Rows[j].Cells, i, i+1)
			}
		}
	}
}

func (t *Table) removeRows(row func(Row) bool) {
	for i := range t.Bodies {
		t.Bodies[i].Rows = slices.DeleteFunc(t.Bodies[i].Rows, row)
	}
	t.Bodies = slices.DeleteFunc(t.Bodies, func(b Body) bool { return len(b.Rows) == 0 })
}

// add merges the row into an equal one.
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

func (col Column) value(c *Cell) Value {
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
