package reports

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// alignment of a cell's text within its columns.
type alignment int

const (
	left alignment = iota
	right
	center
)

// aligned lays text out in columns of a fixed-width font. Cells are placed, row by row, at a column of choice. A margin
// stands before its cell, and its column is as wide in every row. A text that spans several columns and needs more room
// than they have widens those of them that may grow, the narrow ones first; it runs on where none may. So does benchstat's
// layout, whose tables these are to equal.
type aligned struct {
	rows    [][]alignedCell
	growing map[int]bool
}

type alignedCell struct {
	col, span    int
	text, margin string
	align        alignment
}

func (a *aligned) row() { a.rows = append(a.rows, nil) }

// grow lets a column grow for the sake of texts that span it.
func (a *aligned) grow(col int) {
	if a.growing == nil {
		a.growing = make(map[int]bool)
	}
	a.growing[col] = true
}

// cell places text; the cells of a row come from left to right.
func (a *aligned) cell(col, span int, align alignment, margin, text string) {
	last := len(a.rows) - 1
	a.rows[last] = append(a.rows[last], alignedCell{col, span, text, margin, align})
}

// note places text that most rows lack, so that a column without any takes no room.
func (a *aligned) note(col int, text string) {
	if text != "" {
		a.cell(col, 1, left, " ", text)
	}
}

// writeTo writes the rows without blanks at the ends of lines.
func (a *aligned) writeTo(w io.Writer) error {
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
			switch free := starts[cell.col+cell.span] - at - width; cell.align {
			case right:
				before = max(0, free)
			case center:
				before = max(0, free/2)
			}
			pad(&line, before)
			line.WriteString(cell.text)
			at += before + width
		}
		text.WriteString(strings.TrimRight(line.String(), " "))
		text.WriteByte('\n')
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// measure returns the width of each column, its margin included, and the margin.
func (a *aligned) measure() (widths, margins []int) {
	columns := 0
	var spans []alignedCell
	for _, row := range a.rows {
		for _, cell := range row {
			columns = max(columns, cell.col+cell.span)
			if cell.span > 1 {
				spans = append(spans, cell)
			}
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
			if cell.span == 1 {
				widths[cell.col] = max(widths[cell.col], margins[cell.col]+utf8.RuneCountInString(cell.text))
			}
		}
	}
	slices.SortStableFunc(spans, func(x, y alignedCell) int { return cmp.Compare(x.span, y.span) })
	for _, cell := range spans {
		a.widen(widths, cell, margins[cell.col]+utf8.RuneCountInString(cell.text))
	}
	return widths, margins
}

// widen gives a spanning cell the width it needs: what columns that may not grow leave over is shared out evenly, but for
// columns that are wider than their share already.
func (a *aligned) widen(widths []int, cell alignedCell, need int) {
	total := 0
	var growing []int
	for col := cell.col; col < cell.col+cell.span; col++ {
		total += widths[col]
	}
	if total >= need {
		return
	}
	for col := cell.col; col < cell.col+cell.span; col++ {
		if a.growing[col] {
			growing = append(growing, col)
		} else {
			need -= widths[col]
		}
	}
	slices.SortStableFunc(growing, func(x, y int) int { return cmp.Compare(widths[y], widths[x]) })
	for i, col := range growing {
		left := len(growing) - i
		widths[col] = max(widths[col], (need+left-1)/left)
		need -= widths[col]
	}
}

func pad(b *strings.Builder, n int) {
	for range n {
		b.WriteByte(' ')
	}
}
