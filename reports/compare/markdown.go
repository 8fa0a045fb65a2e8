package compare

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/internal/table"
	"github.com/poolbench/poolbench/reports/results"
)

// WriteMarkdown writes a comparison as tables of GitHub-flavoured Markdown with an aligned source.
func WriteMarkdown(w io.Writer, c *Comparison) error {
	var s strings.Builder
	list := func(lines []string) {
		for _, line := range lines {
			s.WriteString("- " + text.MarkdownEscape(line) + "\n")
		}
	}
	list(configLines(c.Config))
	if c.shared != "" {
		list([]string{results.SharedLine(c.shared)})
	}
	s.WriteByte('\n')
	for i := range c.Tables {
		t := &c.Tables[i]
		fmt.Fprintf(&s, "### %s\n\n%s\n", text.MarkdownEscape(t.title()),
			c.metricTable(t).Markdown())
	}
	list(c.Notes())
	_, err := io.WriteString(w, strings.Trim(s.String(), "\n")+"\n")
	return err
}

func (c *Comparison) against(f facet) (delta, basis string) {
	if c.brief {
		return f.change(), f.basis()
	}
	v := f.cell().Versus
	return v.FormatDelta(f.base().Summary.Center, f.cell().Summary.Center), v.String()
}

// metricTable returns the table of one metric, with a row for each benchmark.
func (c *Comparison) metricTable(t *Table) *table.Table {
	out := &table.Table{Names: 1, Columns: []table.Column{{Title: "benchmark", Name: true}}}
	shown, class := t.columns(), benchunit.ClassOf(t.Unit)
	for place, i := range shown {
		out.Columns = append(out.Columns, table.Column{Title: c.Columns[i], Align: text.Right})
		if place > 0 {
			out.Columns = append(out.Columns, table.Column{Title: "vs base", Align: text.Right},
				table.Column{Verdict: true}, table.Column{Title: "p, n"})
		}
	}
	for _, row := range t.Rows {
		scaler := row.scaler(class)
		line := table.Row{Cells: []string{cmp.Or(c.short[row.Name], row.Name)}}
		for place, i := range shown {
			f := facet{t, &row, i}
			value, compared := "–", []string{"", "", ""}
			if f.cell() != nil {
				value = c.value(f, scaler)
				line.Notes = append(line.Notes, c.cellWarnings(f)...)
			}
			if f.cell() != nil && f.cell().Versus != nil {
				delta, basis := c.against(f)
				compared = []string{delta, f.marked(t.Change(&row, i)), basis}
				line.Notes = append(line.Notes, messages(f.warnings())...)
			}
			if line.Cells = append(line.Cells, value); place > 0 {
				line.Cells = append(line.Cells, compared...)
			}
		}
		out.Rows = append(out.Rows, line)
	}
	if len(t.Rows) > 1 {
		line := table.Row{Cells: []string{"geomean"}}
		for place, i := range shown {
			g, center := &t.Geomean[i], ""
			if !math.IsNaN(g.Center) {
				center = benchunit.Scale(g.Center, class)
			}
			if line.Cells = append(line.Cells, center); place > 0 {
				line.Cells = append(line.Cells, g.delta(), "", "")
			}
			line.Notes = append(line.Notes, messages(g.Warnings)...)
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// value formats a cell: for Brief in its unit, with an interval if there is one.
func (c *Comparison) value(f facet, scaler benchunit.Scaler) string {
	cell := f.cell()
	if c.brief {
		return f.within(cell)
	}
	return scaler.Format(cell.Summary.Center) + " ± " + cell.Summary.PctRangeString()
}

// cellWarnings returns the warnings on the sample. For Brief the pairs take precedence.
func (c *Comparison) cellWarnings(f facet) []string {
	if c.brief {
		return nil
	}
	return messages(f.cell().Sample.Warnings, f.cell().Summary.Warnings)
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
