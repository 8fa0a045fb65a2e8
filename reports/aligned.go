package reports

import (
	"io"
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

// aligned lays text out in columns of a fixed-width font. Cells are placed, row by row, at a column of choice; one that
// spans several columns widens the last of them if it must. A margin stands before its cell, and its column is as wide
// in every row.
type aligned struct {
	rows [][]alignedCell
}

type alignedCell struct {
	col, span    int
	text, margin string
	align        alignment
}

func (a *aligned) row() { a.rows = append(a.rows, nil) }

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
	var text strings.Builder
	for _, row := range a.rows {
		var line strings.Builder
		at := 0 // width so far
		for _, cell := range row {
			start := 0
			for col := range cell.col {
				start += margins[col] + widths[col]
			}
			pad(&line, start-at)
			pad(&line, margins[cell.col]-utf8.RuneCountInString(cell.margin))
			line.WriteString(cell.margin)
			width := spanWidth(cell, widths, margins)
			free := width - utf8.RuneCountInString(cell.text)
			before := 0
			switch cell.align {
			case right:
				before = free
			case center:
				before = free / 2
			}
			pad(&line, before)
			line.WriteString(cell.text)
			pad(&line, free-before)
			at = start + margins[cell.col] + width
		}
		text.WriteString(strings.TrimRight(line.String(), " "))
		text.WriteByte('\n')
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (a *aligned) measure() (widths, margins []int) {
	columns := 0
	for _, row := range a.rows {
		for _, cell := range row {
			columns = max(columns, cell.col+cell.span)
		}
	}
	widths, margins = make([]int, columns), make([]int, columns)
	for _, row := range a.rows {
		for _, cell := range row {
			margins[cell.col] = max(margins[cell.col], utf8.RuneCountInString(cell.margin))
			if cell.span == 1 {
				widths[cell.col] = max(widths[cell.col], utf8.RuneCountInString(cell.text))
			}
		}
	}
	for _, row := range a.rows {
		for _, cell := range row {
			if need := utf8.RuneCountInString(cell.text) - spanWidth(cell, widths, margins); cell.span > 1 && need > 0 {
				widths[cell.col+cell.span-1] += need
			}
		}
	}
	return widths, margins
}

// spanWidth is the width of a cell without its margin.
func spanWidth(cell alignedCell, widths, margins []int) int {
	width := widths[cell.col]
	for col := cell.col + 1; col < cell.col+cell.span; col++ {
		width += margins[col] + widths[col]
	}
	return width
}

func pad(b *strings.Builder, n int) {
	for range n {
		b.WriteByte(' ')
	}
}
