package reports

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchunit"
)

// The columns of the text for one input: centre, interval, notes, and then, but for the first input, delta, change, p
// with n, notes.
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

// WriteText writes a comparison as aligned text, laid out like benchstat's: for each input its centre ± interval,
// delta, p and n; numbered notes stand below their table, and Notes at the end. Behind a significant delta it adds
// "better" or "worse", where the direction of the metric is known. What all names have in common is said once, above
// the tables.
func WriteText(w io.Writer, c *Comparison) error {
	short, shared := shortNames(c.names())
	head := configLines(c.Config)
	if shared != "" {
		head = append(head, sharedLine(shared))
	}
	if err := writeLines(w, head); err != nil {
		return err
	}
	var before []Pair
	for i := range c.Tables {
		t := &c.Tables[i]
		if i > 0 {
			if err := writeLines(w, []string{""}); err != nil {
				return err
			}
		}
		if err := writeLines(w, configLines(changed(before, t.Key))); err != nil {
			return err
		}
		before = t.Key
		if err := t.writeText(w, c.Columns, short); err != nil {
			return err
		}
	}
	if notes := c.Notes(); len(notes) > 0 {
		return writeLines(w, append([]string{""}, notes...))
	}
	return nil
}

func (t *Table) writeText(w io.Writer, columns []string, short map[string]string) error {
	var a aligned
	var notes footnotes
	start := func(column int) int { return 1 + column*textColumns - min(column, 1)*(textColumns-textBaseColumns) }
	const rule = " │ "
	edge := start(len(columns))

	a.row()
	for i, label := range columns {
		a.cell(start(i), start(i+1)-start(i), center, rule, label)
	}
	a.cell(edge, 1, left, " │", "")
	a.row()
	for i := range columns {
		a.cell(start(i), textBaseColumns, center, rule, t.Unit)
		if i > 0 {
			a.cell(start(i)+textDelta, textColumns-textDelta, left, "  ", "vs base")
		}
	}
	a.cell(edge, 1, left, " │", "")

	class := benchunit.ClassOf(t.Unit)
	for _, row := range t.Rows {
		scaler := row.scaler(class)
		a.row()
		a.cell(0, 1, left, "", short[row.Name])
		for i, cell := range row.Cells {
			if cell == nil {
				continue
			}
			at := start(i)
			a.cell(at+textCenter, 1, right, "", scaler.Format(cell.Summary.Center))
			a.cell(at+textInterval, 1, right, " ± ", cell.Summary.PctRangeString())
			a.note(at+textCellNotes, notes.mark(cell.Sample.Warnings, cell.Summary.Warnings))
			if v := cell.Versus; v != nil {
				a.cell(at+textDelta, 1, right, "", v.FormatDelta(row.Cells[0].Summary.Center, cell.Summary.Center))
				a.note(at+textChange, t.Change(&row, i))
				a.cell(at+textP, 1, left, " ", "("+v.String()+")")
				a.note(at+textDeltaNotes, notes.mark(v.Warnings))
			}
		}
	}
	if len(t.Rows) > 1 {
		a.row()
		a.cell(0, 1, left, "", "geomean")
		for i, g := range t.Geomean {
			at := start(i)
			if g.HasCenter {
				a.cell(at+textCenter, 1, right, "", benchunit.Scale(g.Center, class))
			}
			mark := notes.mark(g.Warnings)
			if i == 0 {
				a.note(at+textCellNotes, mark)
				continue
			}
			a.cell(at+textDelta, 1, right, "", g.delta())
			a.note(at+textDeltaNotes, mark)
		}
	}
	if err := a.writeTo(w); err != nil {
		return err
	}
	return writeLines(w, notes.lines())
}

// scaler scales the cells of a row alike, so that they can be compared by eye.
func (r *Row) scaler(class benchunit.Class) benchunit.Scaler {
	var centers []float64
	for _, cell := range r.Cells {
		if cell != nil {
			centers = append(centers, cell.Summary.Center)
		}
	}
	return benchunit.CommonScale(centers, class)
}

// delta is the change of the column's ratios in percent, or "?" where there is none.
func (g *Geomean) delta() string {
	if !g.HasRatio {
		return "?"
	}
	return fmt.Sprintf("%+.2f%%", (g.Ratio-1)*100)
}

// footnotes numbers messages, the same message with the same number.
type footnotes struct{ messages []string }

// mark returns the numbers of the messages as superscripts.
func (f *footnotes) mark(warnings ...[]error) string {
	var marks []string
	for _, list := range warnings {
		for _, warning := range list {
			marks = append(marks, superscript(f.number(warning.Error())))
		}
	}
	return strings.Join(marks, " ")
}

func (f *footnotes) number(message string) int {
	for i, m := range f.messages {
		if m == message {
			return i + 1
		}
	}
	f.messages = append(f.messages, message)
	return len(f.messages)
}

func (f *footnotes) lines() []string {
	lines := make([]string, len(f.messages))
	for i, m := range f.messages {
		lines[i] = superscript(i+1) + " " + m
	}
	return lines
}

func superscript(n int) string {
	return strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").
		Replace(fmt.Sprint(n))
}

func sharedLine(shared string) string { return "all benchmarks: " + shared }

func configLines(pairs []Pair) []string {
	lines := make([]string, len(pairs))
	for i, p := range pairs {
		lines[i] = p.Key + ": " + p.Value
	}
	return lines
}

// changed returns the pairs of now that are not in before.
func changed(before, now []Pair) []Pair {
	var out []Pair
	for _, p := range now {
		if lookup(before, p.Key) != p.Value {
			out = append(out, p)
		}
	}
	return out
}

func writeLines(w io.Writer, lines []string) error {
	for _, line := range lines {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}
