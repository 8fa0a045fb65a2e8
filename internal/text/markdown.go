package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// All rows must have the same number of cells as the head.
type Markdown struct {
	aligns []Alignment
	lines  [][]string // the first line is the head
}

func (m *Markdown) Head(align Alignment, text string) {
	if m.lines == nil {
		m.lines = [][]string{nil}
	}
	m.aligns = append(m.aligns, align)
	m.lines[0] = append(m.lines[0], MarkdownEscape(text))
}

func (m *Markdown) Row(cells []string) { m.lines = append(m.lines, cells) }

func (m *Markdown) Write(text *strings.Builder) {
	widths := widthsOf(m.lines)
	for i := range widths {
		widths[i] = max(widths[i], 3) // minimum width of the separator line
	}
	for at, line := range m.lines {
		text.WriteByte('|')
		for i, cell := range line {
			free := widths[i] - utf8.RuneCountInString(cell)
			if m.aligns[i] == Right {
				fmt.Fprintf(text, " %*s%s |", free, "", cell)
			} else {
				fmt.Fprintf(text, " %s%*s |", cell, free, "")
			}
		}
		text.WriteByte('\n')
		if at > 0 {
			continue
		}
		text.WriteByte('|')
		for i, align := range m.aligns {
			rule := strings.Repeat("-", widths[i])
			if align == Right {
				rule = rule[1:] + ":"
			}
			fmt.Fprintf(text, " %s |", rule)
		}
		text.WriteByte('\n')
	}
}

var escapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<",
	"&lt;", "&", "&amp;", "[", `\[`)

func MarkdownEscape(s string) string { return escapes.Replace(s) }

// In code, only cell separators need escapes.
func MarkdownCode(name string) string {
	if strings.Contains(name, "`") {
		return MarkdownEscape(name)
	}
	return "`" + strings.ReplaceAll(name, "|", `\|`) + "`"
}
