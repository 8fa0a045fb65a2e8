package compare

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// The columns of the text for one input: centre, interval, notes, and for all but the first input
// delta, change, p with n, notes.
const (
	textCenter = iota
	textInterval
	textCellNotes
	textDelta
	textP
	textDeltaNotes
	textColumns
	textBaseColumns = textCellNotes + 1
)

// benchstatText lays a comparison out as benchstat does, to compare its tables with benchstat's.
func benchstatText(c *Comparison) string {
	var s strings.Builder
	var before []results.Pair
	for i := range c.Tables {
		t := &c.Tables[i]
		if i > 0 {
			s.WriteByte('\n')
		}
		s.WriteString(text.Lines(configLines(changed(before, t.Key, i == 0)), 0))
		before = t.Key
		s.WriteString(t.benchstatText(c.ColumnKeys))
	}
	return s.String()
}

func (t *Table) benchstatText(keys [][]results.Pair) string {
	var a text.Cell
	var notes text.Footnotes
	shown := t.columns()
	t.textHead(&a, shown, keys)
	class := benchunit.ClassOf(t.Unit)
	for _, row := range t.Rows {
		scaler := row.scaler(class)
		a.Row()
		a.Cell(0, 1, text.Left, "", row.Name)
		for place, i := range shown {
			cell := row.Cells[i]
			if cell == nil {
				continue
			}
			at := textStart(place)
			a.Cell(at+textCenter, 1, text.Right, "", scaler.Format(cell.Summary.Center))
			a.Cell(at+textInterval, 1, text.Right, " ± ", cell.Summary.PctRangeString())
			a.Note(at+textCellNotes, mark(&notes, cell.Sample.Warnings, cell.Summary.Warnings))
			if v := cell.Versus; v != nil {
				a.Cell(at+textDelta, 1, text.Right, "",
					v.FormatDelta(row.Cells[row.Base].Summary.Center, cell.Summary.Center))
				a.Cell(at+textP, 1, text.Left, " ", "("+v.String()+")")
				a.Note(at+textDeltaNotes, mark(&notes, v.Warnings))
			}
		}
	}
	if len(t.Rows) > 1 {
		t.textGeomean(&a, shown, &notes)
	}
	return a.String() + text.Lines(notes.Lines(), 0)
}

func mark(notes *text.Footnotes, warnings ...[]error) string {
	return notes.Mark(messages(warnings...)...)
}

// textStart returns the first column of an input.
func textStart(place int) int {
	return 1 + place*textColumns - min(place, 1)*(textColumns-textBaseColumns)
}

// textHead names the columns, a line for each of their keys. Neighbours with equal values share a
// name.
func (t *Table) textHead(a *text.Cell, shown []int, keys [][]results.Pair) {
	const rule = " │ "
	edge := textStart(len(shown))
	same := func(x, y, level int) bool { return slices.Equal(keys[x][:level+1], keys[y][:level+1]) }
	for level := range keys[shown[0]] {
		a.Row()
		for from := 0; from < len(shown); {
			to := from + 1
			for to < len(shown) && same(shown[from], shown[to], level) {
				to++
			}
			a.Cell(textStart(from), textStart(to)-textStart(from), text.Center, rule,
				keys[shown[from]][level].Value)
			from = to
		}
		a.Cell(edge, 1, text.Left, " │", "")
	}
	a.Row()
	for place := range shown {
		at := textStart(place)
		a.Grow(at)
		a.Cell(at, textBaseColumns, text.Center, rule, t.Unit)
		if place > 0 {
			a.Cell(at+textDelta, textColumns-textDelta, text.Left, "  ", "vs base")
		}
	}
	a.Cell(edge, 1, text.Left, " │", "")
}

func (t *Table) textGeomean(a *text.Cell, shown []int, notes *text.Footnotes) {
	class := benchunit.ClassOf(t.Unit)
	a.Row()
	a.Cell(0, 1, text.Left, "", "geomean")
	for place, i := range shown {
		g, at := &t.Geomean[i], textStart(place)
		if !math.IsNaN(g.Center) {
			a.Cell(at+textCenter, 1, text.Right, "", benchunit.Scale(g.Center, class))
		}
		noted := mark(notes, g.Warnings)
		if place == 0 {
			a.Note(at+textCellNotes, noted)
			continue
		}
		align := text.Left
		if !math.IsNaN(g.Ratio) {
			align = text.Right
		}
		a.Cell(at+textDelta, 1, align, "", g.delta())
		a.Note(at+textDeltaNotes, noted)
	}
}
