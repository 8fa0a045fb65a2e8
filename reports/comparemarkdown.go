package reports

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchunit"
)

// WriteMarkdown writes a comparison as tables of GitHub-flavoured Markdown, whose source lines up too.
func WriteMarkdown(w io.Writer, c *Comparison) error {
	var text strings.Builder
	short, shared := c.shortNames()
	lines := configLines(c.Config)
	if shared != "" {
		lines = append(lines, sharedLine(shared))
	}
	if len(lines) > 0 {
		for _, line := range lines {
			fmt.Fprintf(&text, "- %s\n", markdownText(line))
		}
		text.WriteByte('\n')
	}
	for i := range c.Tables {
		c.Tables[i].markdown(&text, c.Columns, short)
	}
	for _, note := range c.Notes() {
		fmt.Fprintf(&text, "- %s\n", markdownText(note))
	}
	_, err := io.WriteString(w, strings.TrimRight(text.String(), "\n")+"\n")
	return err
}

func (t *Table) markdown(text *strings.Builder, columns []string, short map[string]string) {
	text.WriteString("### " + markdownText(t.title()) + "\n\n")
	var m markdownTable
	m.head(left, "benchmark")
	shown := t.columns()
	for place, i := range shown {
		m.head(right, columns[i])
		if place > 0 {
			m.head(right, "vs base")
			m.head(left, "")
			m.head(left, "p, n")
		}
	}
	class := benchunit.ClassOf(t.Unit)
	var notes footnotes
	for _, row := range t.Rows {
		scaler := row.scaler(class)
		line := []string{markdownCode(short[row.Name])}
		for place, i := range shown {
			cell := row.Cells[i]
			switch {
			case cell == nil:
				line = append(line, "–")
			default:
				line = append(line, join(scaler.Format(cell.Summary.Center), "±", cell.Summary.PctRangeString(),
					notes.mark(cell.Sample.Warnings, cell.Summary.Warnings)))
			}
			switch {
			case place == 0:
			case cell == nil || cell.Versus == nil:
				line = append(line, "", "", "")
			default:
				v := cell.Versus
				line = append(line, v.FormatDelta(row.Cells[t.Base].Summary.Center, cell.Summary.Center), t.Change(&row, i),
					join(v.String(), notes.mark(t.warnings(&row, i))))
			}
		}
		m.row(line)
	}
	if len(t.Rows) > 1 {
		line := []string{"geomean"}
		for place, i := range shown {
			g, center := &t.Geomean[i], ""
			if g.HasCenter {
				center = benchunit.Scale(g.Center, class)
			}
			line = append(line, join(center, notes.mark(g.Warnings)))
			if place > 0 {
				line = append(line, g.delta(), "", "")
			}
		}
		m.row(line)
	}
	m.write(text)
	text.WriteByte('\n')
	for _, line := range notes.lines() {
		text.WriteString(markdownText(line) + "  \n")
	}
	if len(notes.messages) > 0 {
		text.WriteByte('\n')
	}
}

// title names a table: its key and unit, with the direction where it is known.
func (t *Table) title() string {
	var words []string
	for _, p := range t.Key {
		if p.Value != "" {
			words = append(words, p.Key+": "+p.Value+",")
		}
	}
	words = append(words, t.Unit)
	if better := direction(t.Better); better != "" {
		words = append(words, "("+better+" is better)")
	}
	return strings.Join(words, " ")
}

// direction is the value of better= for benchfmt's sign; "" when it is not known.
func direction(better int) string {
	switch {
	case better > 0:
		return "higher"
	case better < 0:
		return "lower"
	}
	return ""
}

// join puts blanks between the words that are not empty.
func join(words ...string) string {
	var out []string
	for _, word := range words {
		if word != "" {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

// markdownTable is one table under construction: a head, and rows with as many cells.
type markdownTable struct {
	aligns []alignment
	lines  [][]string // the first is the head
}

func (m *markdownTable) head(align alignment, text string) {
	if m.lines == nil {
		m.lines = [][]string{nil}
	}
	m.aligns = append(m.aligns, align)
	m.lines[0] = append(m.lines[0], markdownText(text))
}

// row takes cells that are Markdown already.
func (m *markdownTable) row(cells []string) { m.lines = append(m.lines, cells) }

func (m *markdownTable) write(text *strings.Builder) {
	widths := make([]int, len(m.aligns))
	for i := range widths {
		widths[i] = 3 // of the rule
		for _, line := range m.lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
	}
	for at, line := range m.lines {
		text.WriteByte('|')
		for i, cell := range line {
			free := widths[i] - utf8.RuneCountInString(cell)
			if m.aligns[i] == right {
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
			if align == right {
				rule = rule[1:] + ":"
			}
			fmt.Fprintf(text, " %s |", rule)
		}
		text.WriteByte('\n')
	}
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "&", "&amp;", "[", `\[`)

// markdownText escapes what would end a cell or be taken for markup in the names of benchmarks, units and files.
func markdownText(s string) string { return markdownEscapes.Replace(s) }

// markdownCode sets a name in the font of code, where only the end of a cell needs to be escaped.
func markdownCode(name string) string {
	if strings.Contains(name, "`") {
		return markdownText(name)
	}
	return "`" + strings.ReplaceAll(name, "|", `\|`) + "`"
}
