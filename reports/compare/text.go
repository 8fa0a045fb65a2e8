package compare

import (
	"cmp"
	"fmt"
	"io"
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
	textChange
	textP
	textDeltaNotes
	textColumns
	textBaseColumns = textCellNotes + 1
)

// WriteText writes a comparison as aligned text, laid out like benchstat's: for each column its
// centre ± interval, delta, p and n, numbered notes below each table, and Notes at the end. A
// significant delta is followed by "better" or "worse" if the direction of the metric is known. The
// common part of all names is printed once, above the tables.
//
// The headline comes first. most is the number of characters per line, 0: unlimited. In a wider
// table the name of a row has a line of its own, and each input except the first its own table.
func WriteText(w io.Writer, c *Comparison, most int) error {
	if c.brief {
		_, err := io.WriteString(w, c.briefText(most))
		return err
	}
	var head []string
	if r := c.ranked(); len(r.all) > 0 {
		head = []string{r.headline(), ""}
	}
	head = append(head, configLines(c.Config)...)
	if c.shared != "" {
		head = append(head, results.SharedLine(c.shared))
	}
	_, err := io.WriteString(w, text.Lines(head, most)+c.text(c.short, true, most))
	return err
}

// text returns benchstat's text. With words it adds the direction of each change, and the notes.
func (c *Comparison) text(short map[string]string, words bool, most int) string {
	var s strings.Builder
	var before []results.Pair
	for i := range c.Tables {
		t := &c.Tables[i]
		if i > 0 {
			s.WriteByte('\n')
		}
		s.WriteString(text.Lines(configLines(changed(before, t.Key, i == 0)), most))
		before = t.Key
		s.WriteString(t.text(t.columns(), c.ColumnKeys, short, words, most))
	}
	if notes := c.Notes(); words && len(notes) > 0 {
		s.WriteString("\n" + text.Lines(results.Shorten(notes, short), most))
	}
	return s.String()
}

func (t *Table) text(
	shown []int, keys [][]results.Pair, short map[string]string, words bool, most int,
) string {
	var a text.Cell
	var notes text.Footnotes
	t.textHead(&a, shown, keys)
	class := benchunit.ClassOf(t.Unit)
	for _, row := range t.Rows {
		scaler := row.scaler(class)
		a.Row()
		a.Cell(0, 1, text.Left, "", cmp.Or(short[row.Name], row.Name))
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
				warnings := v.Warnings
				if words {
					f := facet{t, &row, i}
					a.Note(at+textChange, f.marked(t.Change(&row, i)))
					warnings = f.warnings()
				}
				a.Cell(at+textP, 1, text.Left, " ", "("+v.String()+")")
				a.Note(at+textDeltaNotes, mark(&notes, warnings))
			}
		}
	}
	if len(t.Rows) > 1 {
		t.textGeomean(&a, shown, &notes)
	}
	if most > 0 && len(shown) > 2 && a.Width() > most {
		var parts []string
		for _, i := range shown[1:] {
			parts = append(parts, t.text([]int{shown[0], i}, keys, short, words, most))
		}
		return strings.Join(parts, "\n")
	}
	return a.Folded(1, most) + text.Lines(notes.Lines(), most)
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

func (r *Row) scaler(class benchunit.Class) benchunit.Scaler {
	var centers []float64
	for _, cell := range r.Cells {
		if cell != nil {
			centers = append(centers, cell.Summary.Center)
		}
	}
	return benchunit.CommonScale(centers, class)
}

func (g *Geomean) delta() string {
	if math.IsNaN(g.Ratio) {
		return "?"
	}
	return fmt.Sprintf("%+.2f%%", (g.Ratio-1)*100)
}

func mark(notes *text.Footnotes, warnings ...[]error) string {
	return notes.Mark(messages(warnings...)...)
}

func configLines(pairs []results.Pair) []string {
	return text.Texts(pairs, func(p results.Pair) string { return p.Key + ": " + p.Value })
}

// changed returns the pairs of now that are not in before, and for the first table the non-empty
// ones.
func changed(before, now []results.Pair, first bool) []results.Pair {
	var out []results.Pair
	for _, p := range now {
		if first && p.Value != "" || !first && results.Lookup(before, p.Key) != p.Value {
			out = append(out, p)
		}
	}
	return out
}
