package text

import (
	"strings"
	"unicode/utf8"
)

type Alignment int

const (
	Left Alignment = iota
	Right
)

// Columns lays text out in columns of a fixed-width font. Cells are placed row by row in any
// column. A margin precedes its cell and has one width per column.
type Columns struct{ rows [][]textCell }

type textCell struct {
	col          int
	text, margin string
	align        Alignment
}

func (a *Columns) Row() { a.rows = append(a.rows, nil) }

// The cells of a row must be added from left to right.
func (a *Columns) Cell(col int, align Alignment, margin, text string) {
	last := len(a.rows) - 1
	a.rows[last] = append(a.rows[last], textCell{col, text, margin, align})
}

// Note places text that most rows do not have. A column without any such text uses no space.
func (a *Columns) Note(col int, text string) {
	if text != "" {
		a.Cell(col, Left, " ", text)
	}
}

func (a *Columns) Width() (sum int) {
	widths, _ := a.measure()
	for _, w := range widths {
		sum += w
	}
	return sum
}

// String omits trailing blanks.
func (a *Columns) String() string {
	widths, margins := a.measure()
	starts := make([]int, len(widths)+1)
	for col, width := range widths {
		starts[col+1] = starts[col] + width
	}
	var text strings.Builder
	for _, row := range a.rows {
		var line strings.Builder
		at := 0 // width so far
		for _, cell := range row {
			pad(&line, starts[cell.col]-at+margins[cell.col]-utf8.RuneCountInString(cell.margin))
			line.WriteString(cell.margin)
			at = max(at, starts[cell.col]) + margins[cell.col]
			width := utf8.RuneCountInString(cell.text)
			before := 0
			if cell.align == Right {
				before = max(0, starts[cell.col+1]-at-width)
			}
			pad(&line, before)
			line.WriteString(cell.text)
			at += before + width
		}
		text.WriteString(strings.TrimRight(line.String(), " "))
		text.WriteByte('\n')
	}
	return text.String()
}

func (a *Columns) measure() (widths, margins []int) {
	columns := 0
	for _, row := range a.rows {
		for _, cell := range row {
			columns = max(columns, cell.col+1)
		}
	}
	widths, margins = make([]int, columns), make([]int, columns)
	for _, row := range a.rows {
		for _, cell := range row {
			margins[cell.col] = max(margins[cell.col], utf8.RuneCountInString(cell.margin))
		}
	}
	for _, row := range a.rows {
		for _, cell := range row {
			widths[cell.col] = max(widths[cell.col], margins[cell.col]+
				utf8.RuneCountInString(cell.text))
		}
	}
	return widths, margins
}

func pad(b *strings.Builder, n int) { b.WriteString(strings.Repeat(" ", max(0, n))) }
