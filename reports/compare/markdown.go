package compare

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// WriteMarkdown writes a comparison as tables of GitHub-flavoured Markdown with an aligned source.
func WriteMarkdown(w io.Writer, c *Comparison) error {
	var s strings.Builder
	short, shared := c.shortNames()
	lines := configLines(c.Config)
	if shared != "" {
		lines = append(lines, results.SharedLine(shared))
	}
	if len(lines) > 0 {
		for _, line := range lines {
			fmt.Fprintf(&s, "- %s\n", text.MarkdownEscape(line))
		}
		s.WriteByte('\n')
	}
	for i := range c.Tables {
		c.markdown(&s, &c.Tables[i], short)
	}
	for _, note := range c.Notes() {
		fmt.Fprintf(&s, "- %s\n", text.MarkdownEscape(note))
	}
	_, err := io.WriteString(w, strings.TrimRight(s.String(), "\n")+"\n")
	return err
}

// markdownValue formats a cell: for Brief in its unit, with an interval if there is one.
func (c *Comparison) markdownValue(
	f facet, scaler benchunit.Scaler, notes *text.Footnotes,
) string {
	cell := f.cell()
	if c.brief {
		base, now := f.values()
		if f.column == f.row.Base {
			now = base
		}
		return f.within(now, cell)
	}
	return join(scaler.Format(cell.Summary.Center), "±", cell.Summary.PctRangeString(),
		mark(notes, cell.Sample.Warnings, cell.Summary.Warnings))
}

func (c *Comparison) against(f facet) (delta, basis string) {
	if c.brief {
		return f.change(), f.basis()
	}
	v := f.cell().Versus
	return v.FormatDelta(f.base().Summary.Center, f.cell().Summary.Center), v.String()
}

func (c *Comparison) markdown(s *strings.Builder, t *Table, short map[string]string) {
	columns := c.Columns
	s.WriteString("### " + text.MarkdownEscape(t.title()) + "\n\n")
	var m text.Markdown
	m.Head(text.Left, "benchmark")
	shown := t.columns()
	for place, i := range shown {
		m.Head(text.Right, columns[i])
		if place > 0 {
			m.Head(text.Right, "vs base")
			m.Head(text.Left, "")
			m.Head(text.Left, "p, n")
		}
	}
	class := benchunit.ClassOf(t.Unit)
	var notes text.Footnotes
	for _, row := range t.Rows {
		scaler := row.scaler(class)
		line := []string{text.MarkdownCode(cmp.Or(short[row.Name], row.Name))}
		for place, i := range shown {
			f, value := facet{t, &row, i}, "–"
			if f.cell() != nil {
				value = c.markdownValue(f, scaler, &notes)
			}
			line = append(line, value)
			switch {
			case place == 0:
			case f.cell() == nil || f.cell().Versus == nil:
				line = append(line, "", "", "")
			default:
				delta, basis := c.against(f)
				line = append(line, delta, f.marked(t.Change(&row, i)),
					join(basis, mark(&notes, f.warnings())))
			}
		}
		m.Row(line)
	}
	if len(t.Rows) > 1 {
		line := []string{"geomean"}
		for place, i := range shown {
			g, center := &t.Geomean[i], ""
			if !math.IsNaN(g.Center) {
				center = benchunit.Scale(g.Center, class)
			}
			line = append(line, join(center, mark(&notes, g.Warnings)))
			if place > 0 {
				line = append(line, g.delta(), "", "")
			}
		}
		m.Row(line)
	}
	m.Write(s)
	s.WriteByte('\n')
	for _, line := range notes.Lines() {
		s.WriteString(text.MarkdownEscape(line) + "  \n")
	}
	if len(notes.Lines()) > 0 {
		s.WriteByte('\n')
	}
}

func (t *Table) title() string {
	var words []string
	for _, p := range t.Key {
		if p.Value != "" {
			words = append(words, p.Key+": "+p.Value+",")
		}
	}
	words = append(words, t.Unit)
	if better := results.Direction(t.Better).String(); better != "" {
		words = append(words, "("+better+" is better)")
	}
	return strings.Join(words, " ")
}

func join(words ...string) string {
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	return strings.Join(words, " ")
}
