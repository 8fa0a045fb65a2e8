// Package table writes tables of reports as text, Markdown and HTML.
package table

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

//go:embed table.css
var CSS string

type Table struct {
	Title   string // heading of level 3 in HTML
	Columns []Column
	Rows    []Row
	// number of first columns that name a row. In text that is too wide they have a line of their
	// own
	Names  int
	Indent string // before each line of the text
}

type Column struct {
	Title   string
	Align   text.Alignment
	Name    bool // a benchmark, which Markdown sets as code
	Verdict bool // HTML colours the cells by the class of the row
	Below   bool // HTML writes the cells in small print below the column before
}

// Missing last cells are empty.
type Row struct {
	Cells []string
	Notes []string // footnotes of text and Markdown. HTML writes them below the first cell
	Class string   // of the HTML
}

// If a line is wider than most characters (0: unlimited), the names of each row have a line of
// their own.
func (t *Table) Text(most int) string {
	var notes text.Footnotes
	lines := t.cells(&notes)
	return lines.Folded(t.Names, most) + text.Lines(notes.Lines(), most)
}

func (t *Table) Wider(most int) bool {
	return most > 0 && t.cells(&text.Footnotes{}).Width() > most
}

func (t *Table) cells(notes *text.Footnotes) *text.Columns {
	var lines text.Columns
	addRow := func(cell func(column int) string) {
		lines.Row()
		lines.Cell(0, t.Columns[0].Align, t.Indent, cell(0))
		for i, c := range t.Columns[1:] {
			if s := cell(i + 1); s != "" { // an empty column uses no space
				lines.Cell(i+1, c.Align, "  ", s)
			}
		}
	}
	addRow(func(column int) string { return t.Columns[column].Title })
	for _, row := range t.Rows {
		addRow(row.cell)
		lines.Note(len(t.Columns), notes.Mark(text.Distinct(row.Notes)...))
	}
	return &lines
}

func (r Row) cell(column int) string {
	if column < len(r.Cells) {
		return r.Cells[column]
	}
	return ""
}

func (t *Table) Markdown() string {
	var m text.Markdown
	var notes text.Footnotes
	for _, c := range t.Columns {
		m.Head(c.Align, c.Title)
	}
	noted := slices.ContainsFunc(t.Rows, func(r Row) bool { return len(r.Notes) > 0 })
	if noted {
		m.Head(text.Left, "")
	}
	for _, row := range t.Rows {
		var cells []string
		for i, c := range t.Columns {
			if cell := row.cell(i); c.Name && cell != "" {
				cells = append(cells, text.MarkdownCode(cell))
			} else {
				cells = append(cells, text.MarkdownEscape(cell))
			}
		}
		if noted {
			cells = append(cells, notes.Mark(text.Distinct(row.Notes)...))
		}
		m.Row(cells)
	}
	var s strings.Builder
	m.Write(&s)
	for i, line := range notes.Lines() {
		if i == 0 {
			s.WriteByte('\n')
		}
		s.WriteString(text.MarkdownEscape(line) + "  \n")
	}
	return s.String()
}

func (c Column) class() string {
	class := "right"
	if c.Align == text.Left {
		class = "left"
	}
	if c.Name {
		class += " name"
	}
	if c.Verdict {
		class += " outcome"
	}
	return class
}

func (t *Table) below(row Row, column int) string {
	var parts []string
	if next := column + 1; next < len(t.Columns) && t.Columns[next].Below {
		parts = append(parts, row.cell(next))
	}
	if column == 0 {
		parts = append(parts, text.Distinct(row.Notes)...)
	}
	return strings.Join(parts, "; ")
}
