package page

import (
	"html/template"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

// A reportTable is ready for the template: every word in its place.
type reportTable struct {
	Caption string
	Folded  bool   // under a summary that is the caption
	Of      string // what its rows are: strategies
	Heads   []reportHead
	Bodies  []reportBody
}

// Span is the number of columns, that of the names included.
func (t reportTable) Span() int { return len(t.Heads) + 1 }

type reportHead struct{ Text, Hint string }

// reportBody is a part of the table under a heading of its own: one load.
type reportBody struct {
	Title string
	Rows  []reportRow
}

type reportRow struct {
	Name   string
	Also   []string        // others that have the same in each column
	Swatch template.HTML   // of the series; empty where there are no charts
	Doubt  *results.Doubts // nil where nothing is said against it
	Cells  []reportValue
}

// Label is the name, which may be broken into lines at its underscores and between its parameters
// where it is long.
func (r reportRow) Label() template.HTML {
	if len(r.Name) <= shortName {
		return template.HTML(template.HTMLEscapeString(r.Name))
	}
	return template.HTML(breakable.Replace(template.HTMLEscapeString(r.Name)))
}

// shortName is as wide as the column of names is on a phone.
const shortName = 16

var breakable = strings.NewReplacer("_", "_<wbr>", ":", ":<wbr>", ",", ",<wbr>")

// reportValue is a number with what stands below it, on a line of its own: an interval, or a
// comparison.
type reportValue struct{ Text, Below string }

var absent = reportValue{Text: "–"}

// table makes the main table of a group.
func (g *reportGroup) table() reportTable {
	columns := g.shown(reportColumns)
	if g.foreign() {
		columns = g.foreignColumns()
	}
	heads, verdicts := g.heldColumns()
	t := reportTable{Caption: "Values with their intervals, by " + g.of(), Of: g.of(), Heads: heads}
	g.fill(&t, columns, verdicts...)
	return t
}

// shown are the columns that tell the group anything.
func (g *reportGroup) shown(columns []column) []column {
	return slices.DeleteFunc(slices.Clone(columns), func(col column) bool {
		return !hasMetric(g.cells, col.unit) || col.show != nil && !col.show(g.cells, col.unit)
	})
}

// fill adds the columns and a row for each cell, which begins with what first says.
func (g *reportGroup) fill(
	t *reportTable, columns []column, first ...func(*reportCell) reportValue,
) {
	for _, col := range columns {
		if g.study >= 0 { // which may have a hundred tables: the explorer has the hints
			col.hint = ""
		}
		t.Heads = append(t.Heads, reportHead{col.head, col.hint})
	}
	for _, body := range g.bodies() {
		b := reportBody{Title: body.title}
		for _, c := range body.cells {
			row := c.row()
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

// add appends a row, or its name to that of a row that says the same.
func (b *reportBody) add(row reportRow) {
	for i := range b.Rows {
		r := &b.Rows[i]
		if slices.Equal(r.Cells, row.Cells) && r.verdict() == row.verdict() {
			r.Also = append(r.Also, row.Name)
			return
		}
	}
	b.Rows = append(b.Rows, row)
}

func (r *reportRow) verdict() results.Verdict {
	if r.Doubt == nil {
		return results.Valid
	}
	return r.Doubt.Verdict
}

func (col column) of(c *reportCell) reportValue {
	e, ok := c.Estimate(col.unit)
	switch {
	case !ok:
		return absent
	case col.value != nil:
		return col.value(c)
	}
	format := col.format
	if format == nil {
		format = func(v float64) string { return quantity.Metric(col.unit, v) }
	}
	v := reportValue{Text: format(e.Mid)}
	if lo, hi := format(e.Lo), format(e.Hi); lo != hi {
		v.Below = ends(lo, hi)
	}
	return v
}

// ends writes an interval; a unit that both ends have is written once.
func ends(lo, hi string) string {
	l, lunit, ok := strings.Cut(lo, " ")
	if _, hunit, _ := strings.Cut(hi, " "); ok && lunit == hunit {
		lo = l
	}
	return lo + " – " + hi
}

func (c *reportCell) row() reportRow {
	r := reportRow{Name: c.strategy}
	if c.strategy == "" {
		r.Name = c.name
	} else {
		r.Swatch = template.HTML(charts.Swatch(c.style))
	}
	r.Doubt = c.Doubts()
	return r
}

type groupBody struct {
	title string
	cells []*reportCell
}

// bodies divides the cells by what varies in the group other than the strategy.
func (g *reportGroup) bodies() (out []groupBody) {
	for _, c := range g.cells {
		title := c.place()
		if g.oneLimit() != "" {
			title = c.loadText()
		}
		if len(out) == 0 || out[len(out)-1].title != title {
			out = append(out, groupBody{title: title})
		}
		b := &out[len(out)-1]
		b.cells = append(b.cells, c)
	}
	return out
}
