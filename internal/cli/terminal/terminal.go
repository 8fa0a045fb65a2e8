// Package terminal lays out what the command prints: tables and paragraphs.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Columns lays out columns that begin below each other, two blanks apart.
func Columns(to io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(to, 0, 0, 2, ' ', 0) }

// WriteTable writes rows, the first of which are the heads, with the first column aligned left and
// the others right.
func WriteTable(to io.Writer, rows [][]string) error {
	width := 0
	for _, cells := range rows {
		width = max(width, utf8.RuneCountInString(cells[0]))
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, cells := range rows {
		fmt.Fprintf(w, "%-*s\t%s\t\n", width, cells[0], strings.Join(cells[1:], "\t"))
	}
	return w.Flush()
}

// Wrapped breaks a text at its blanks into lines of at most so many characters. The first begins
// with first, the others as far in and two columns more.
func Wrapped(first, text string, most int) string {
	var b strings.Builder
	b.WriteString(first)
	indent := utf8.RuneCountInString(first) + 2
	at := indent - 2
	for i, word := range strings.Fields(text) {
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
		b.WriteString(word)
		at += width
	}
	return b.String()
}
