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
	"github.com/poolbench/poolbench/reports/internal/table"
	"github.com/poolbench/poolbench/reports/results"
)

// WriteText writes a comparison as aligned text. most is the number of characters per line, 0:
// unlimited. In a wider table the name of a row has a line of its own, and each input except the
// first its own table.
func WriteText(w io.Writer, c *Comparison, most int) error {
	s := ""
	if c.brief {
		s = c.briefText(most)
	} else {
		s = c.allText(most)
	}
	_, err := io.WriteString(w, s)
	return err
}

func (c *Comparison) allText(most int) string {
	config := configLines(c.Config)
	if c.shared != "" {
		config = append(config, results.SharedLine(c.shared))
	}
	labels := c.textLabels()
	if !slices.Equal(labels, c.Columns) {
		config = append(config, "columns: "+strings.Join(c.Columns, ", "))
	}
	parts := []string{"", text.Lines(config, most)}
	if r := c.ranked(); len(r.all) > 0 {
		parts[0] = text.Lines([]string{r.headline()}, most)
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		tables, shown := []*table.Table{c.metricTable(t, t.columns(), labels)}, t.columns()
		if len(shown) > 2 && tables[0].Wider(most) {
			tables = nil
			for _, column := range shown[1:] {
				tables = append(tables, c.metricTable(t, []int{shown[0], column}, labels))
			}
		}
		for _, part := range tables {
			parts = append(parts, text.Lines([]string{t.title()}, most)+part.Text(most))
		}
	}
	parts = append(parts, text.Lines(results.Shorten(c.Notes(), c.short), most))
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

func (c *Comparison) against(f facet) (delta, basis string) {
	if c.brief {
		return f.change(), f.basis()
	}
	v := f.cell().Versus
	return v.FormatDelta(f.base().Summary.Center, f.cell().Summary.Center), v.String()
}

// textLabels shortens long names, such as paths, to their ends if these remain distinct.
func (c *Comparison) textLabels() []string {
	const most = 20
	labels := text.Texts(c.Columns, func(name string) string {
		if runes := []rune(name); len(runes) > most {
			return "…" + string(runes[len(runes)-most+1:])
		}
		return name
	})
	if len(text.Distinct(labels)) < len(labels) {
		return c.Columns
	}
	return labels
}

func (c *Comparison) metricTable(t *Table, shown []int, labels []string) *table.Table {
	out := &table.Table{Names: 1, Columns: []table.Column{{Title: "benchmark", Name: true}}}
	class := benchunit.ClassOf(t.Unit)
	for place, i := range shown {
		out.Columns = append(out.Columns, table.Column{Title: labels[i], Align: text.Right})
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

func (c *Comparison) value(f facet, scaler benchunit.Scaler) string {
	cell := f.cell()
	if c.brief {
		return f.withInterval(cell)
	}
	return scaler.Format(cell.Summary.Center) + " ± " + cell.Summary.PctRangeString()
}

// With Brief the verdicts come from pairs, so warnings on samples do not apply.
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

func (r *Row) scaler(class benchunit.Class) benchunit.Scaler {
	var centers []float64
	for _, cell := range r.Cells {
		if cell != nil {
			centers = append(centers, cell.Summary.Center)
		}
	}
	return benchunit.CommonScale(centers, class)
}

func (g *Geomean) delta() string {
	if math.IsNaN(g.Ratio) {
		return "?"
	}
	return fmt.Sprintf("%+.2f%%", (g.Ratio-1)*100)
}

func configLines(pairs []results.Pair) []string {
	return text.Texts(pairs, func(p results.Pair) string { return p.Key + ": " + p.Value })
}

// changed returns the pairs that are not in before, and for the first table the non-empty ones.
func changed(before, now []results.Pair, first bool) []results.Pair {
	var out []results.Pair
	for _, p := range now {
		if first && p.Value != "" || !first && results.Lookup(before, p.Key) != p.Value {
			out = append(out, p)
		}
	}
	return out
}
