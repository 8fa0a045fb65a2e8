package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Alignment of a cell's text within its columns.
type Alignment int

// The alignments of a cell.
const (
	Left Alignment = iota
	Right
	Center
)

// Cell lays text out in columns of a fixed-width font. Cells are placed row by row in any column. A
// margin precedes its cell and has one width per column. If a text that spans several columns does
// not fit, the columns that may grow are widened, the narrow ones first. If none may grow, the text
// overflows. This is the layout of benchstat, whose tables must be reproduced.
type Cell struct {
	rows    [][]textCell
	growing map[int]bool
}

type textCell struct {
	col, span    int
	text, margin string
	align        Alignment
}

// Row begins the next row.
func (a *Cell) Row() { a.rows = append(a.rows, nil) }

// Grow lets a column grow for texts that span it.
func (a *Cell) Grow(col int) {
	if a.growing == nil {
		a.growing = make(map[int]bool)
	}
	a.growing[col] = true
}

// Cell places text. The cells of a row must be added from left to right.
func (a *Cell) Cell(col, span int, align Alignment, margin, text string) {
	last := len(a.rows) - 1
	a.rows[last] = append(a.rows[last], textCell{col, span, text, margin, align})
}

// Note places text that most rows do not have. A column without any such text uses no space.
func (a *Cell) Note(col int, text string) {
	if text != "" {
		a.Cell(col, 1, Left, " ", text)
	}
}

// Width returns the total width of the columns.
func (a *Cell) Width() (sum int) {
	widths, _ := a.measure()
	for _, w := range widths {
		sum += w
	}
	return sum
}

// String returns the rows without trailing blanks.
func (a *Cell) String() string {
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
			case Right:
				before = max(0, free)
			case Center:
				before = max(0, free/2)
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

func (a *Cell) measure() (widths, margins []int) {
	columns := 0
	var spans []textCell
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
				widths[cell.col] = max(widths[cell.col], margins[cell.col]+
					utf8.RuneCountInString(cell.text))
			}
		}
	}
	slices.SortStableFunc(spans, func(x, y textCell) int { return cmp.Compare(x.span, y.span) })
	for _, cell := range spans {
		a.widen(widths, cell, margins[cell.col]+utf8.RuneCountInString(cell.text))
	}
	return widths, margins
}

// widen gives a spanning cell the required width. It distributes the missing width evenly over the
// columns that may grow and are not yet wider than their share.
func (a *Cell) widen(widths []int, cell textCell, need int) {
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

func pad(b *strings.Builder, n int) { b.WriteString(strings.Repeat(" ", max(0, n))) }
