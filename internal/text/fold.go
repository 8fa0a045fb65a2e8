package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Fit breaks lines wider than most characters at blanks. Continuation lines are indented by two
// more columns. In this file, most 0 means unlimited, except for Wrapped.
func Fit(text string, most int) string {
	if !wider(text, most) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if words := strings.TrimSpace(line); words != "" && wider(line, most) {
			before := strings.Index(line, words)
			if before > most/2 { // the cell of a table, which has no room
				before = gap
			}
			line = Wrapped(line[:before], words, most) + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

func Lines(lines []string, most int) string {
	return Fit(strings.Join(append(slices.Clip(lines), ""), "\n"), most)
}

func wider(text string, most int) bool {
	for line := range strings.Lines(text) {
		if most > 0 && utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > most {
			return true
		}
	}
	return false
}

// If the text is wider than most characters, Folded writes the first columns of each row in a line,
// and the other cells in lines below.
func (a *Columns) Folded(first, most int) string {
	if text := a.String(); !wider(text, most) {
		return text
	}
	var others Columns
	heads := make([]string, len(a.rows))
	for i, row := range a.rows {
		others.Row()
		var head []string
		for _, cell := range row {
			if cell.col >= first {
				others.Cell(cell.col, cell.align, cell.margin, cell.text)
			} else {
				head = append(head, cell.text)
			}
		}
		heads[i] = strings.Join(head, strings.Repeat(" ", gap))
	}
	var b strings.Builder
	at := 0
	for line := range strings.Lines(others.String()) {
		if heads[at] != "" {
			b.WriteString(Fit(heads[at]+"\n", most))
		}
		at++
		b.WriteString(Fit(line, most))
	}
	return b.String()
}

// WriteList writes rows as aligned columns, indented by two blanks. If they are too wide, the last
// column is wrapped. If it has no room, each row becomes a paragraph.
func WriteList(to io.Writer, rows [][]string, most int) error {
	widths := widthsOf(rows)
	before := gap
	for _, w := range widths[:max(len(widths)-1, 0)] {
		before += w + gap
	}
	var b strings.Builder
	for _, cells := range rows {
		line := strings.Repeat(" ", gap)
		last := len(cells) - 1
		switch {
		case most > 0 && most-before < minRoom:
			b.WriteString(Wrapped(line, strings.Join(cells, ", "), most) + "\n")
			continue
		case most > 0 && len(cells) == len(widths):
			cells = slices.Clone(cells)
			cells[last] = strings.ReplaceAll(Wrapped("", cells[last], most-before), "\n  ",
				"\n"+strings.Repeat(" ", before))
		}
		for i, c := range cells[:last] {
			line += c + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+gap)
		}
		b.WriteString(line + cells[last] + "\n")
	}
	_, err := io.WriteString(to, b.String())
	return err
}

const minRoom = 24

// WriteTable writes rows after a row of heads, indented by two blanks, with only the first column
// aligned left. A table that is too wide is not indented if that suffices. Otherwise its columns
// are divided among several tables that repeat the first column, or if there is no room, the first
// column is written in separate lines.
func WriteTable(to io.Writer, rows [][]string, most int) error {
	widths := widthsOf(rows)
	first, total := widths[0], -gap
	for _, w := range widths {
		total += gap + w
	}
	above := most > 0 && total > most &&
		(first > most/2 || gap+first+gap+slices.Max(widths[1:]) > most)
	if above {
		first = gap
	}
	indent := gap
	if most > 0 && total <= most && total > most-gap {
		indent = 0
	}
	for i, columns := range fold(indent+first, widths[1:], most) {
		if i > 0 {
			fmt.Fprintln(to)
		}
		var b strings.Builder
		w := tabwriter.NewWriter(&b, 0, 0, gap, ' ', tabwriter.AlignRight)
		for _, cells := range rows {
			name := cells[0]
			if above {
				name = ""
			}
			fmt.Fprintf(w, "%-*s\t%s\t\n", first, name,
				strings.Join(cells[1+columns.from:1+columns.to], "\t"))
		}
		if err := w.Flush(); err != nil {
			return err
		}
		line := 0
		for text := range strings.Lines(b.String()) {
			if above {
				fmt.Fprintln(to, strings.Join(cut(rows[line][0], most), "\n"))
			}
			line++
			if _, err := io.WriteString(to, text[gap-indent:]); err != nil {
				return err
			}
		}
	}
	return nil
}

const gap = 2

func widthsOf(rows [][]string) (widths []int) {
	for _, cells := range rows {
		for i, c := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	return widths
}

type span struct{ from, to int }

func fold(first int, widths []int, most int) (parts []span) {
	p, width := span{}, first
	for i, w := range widths {
		if most > 0 && width+gap+w > most && p.from < p.to {
			parts, p, width = append(parts, p), span{i, i}, first
		}
		p.to, width = i+1, width+gap+w
	}
	return append(parts, p)
}

func cut(text string, most int) (lines []string) {
	for line := range slices.Chunk([]rune(text), most) {
		lines = append(lines, string(line))
	}
	return lines
}

// Wrapped breaks a text at blanks, but not between a number and its unit. The first line begins
// with first. The others are indented by the width of first plus two. A longer word is cut.
func Wrapped(first, text string, most int) string {
	var b strings.Builder
	b.WriteString(first)
	indent := utf8.RuneCountInString(first) + 2
	at := indent - 2
	var words []string
	whole := Together(OneLine(text))
	for word := range strings.SplitSeq(whole, " ") {
		words = append(words, cut(word, max(most-indent, 1))...)
	}
	for i, word := range words {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+width > most:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(strings.ReplaceAll(word, "\u00a0", " "))
		at += width
	}
	return b.String()
}
