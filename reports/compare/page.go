package compare

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/internal/table"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// describe returns, for example, "codel_lifo, load 0.9".
func describe(name string) string {
	keys := results.NameKeys(benchfmt.Name(name))
	base := string(benchfmt.Name(name).Base())
	if base != "Run" && base != "Attack" || len(keys) == 0 {
		return shell.Benchmark(name)
	}
	words := results.Words(results.Without(keys, "strategy"))
	if strategy := results.Lookup(keys, "strategy"); strategy != "" {
		words = slices.Insert(words, 0, results.Readable(strategy))
	}
	return strings.Join(words, ", ")
}

// WritePage writes a comparison as a self-contained HTML page. The other sections, such as an
// explorer, follow the changes. Sections without a body are omitted.
func WritePage(w io.Writer, c *Comparison, sections ...shell.Section) error {
	p, err := newPage(c, sections)
	if err != nil {
		return err
	}
	return p.Write(w)
}

func newPage(c *Comparison, sections []shell.Section) (*shell.Page, error) {
	r := c.ranked()
	changed, rest := r.all[:r.changed], r.all[r.changed:]
	p := &shell.Page{Title: "compare",
		Subtitle: strings.Trim(strings.Join(c.Columns, " · ")+" · "+c.shared, " ·"),
		Answer:   shell.Answer{Headline: r.headline(), Facts: r.facts()}, Trust: r.badges(),
		CSS: table.CSS}
	if len(changed) > 0 {
		var err error
		if p.Figure, err = c.changeFigure(changed); err != nil {
			return nil, err
		}
	}
	if n := len(r.all); n > 0 {
		p.Basis = fmt.Sprintf("Of %s, about %.2g differ by chance at p ≤ %.4g. Intervals have "+
			"%.4g %% confidence. Values are medians of the runs. If there are pairs of runs, "+
			"changes are computed from the pairs.", text.Count(n, "comparison"), c.Alpha*float64(n), c.Alpha,
			100*c.Confidence)
	}
	p.Add(len(changed) > 0, "changed", "What changed", table.Section("changed", "What changed", "",
		c.facetTable(changed).HTML("Comparisons")))
	for _, own := range sections {
		if own.Body != "" {
			p.Sections = append(p.Sections, own)
		}
	}
	const same = "No significant difference"
	p.Add(len(rest) > 0, "same", same, table.Section("same", same,
		fmt.Sprintf("%d without a significant difference", len(rest)),
		c.facetTable(rest).HTML("Comparisons")))
	p.Add(len(c.Notes()) > 0, "notes", "Notes", shell.Listed("notes", "Notes", c.Notes()))
	return p, nil
}

func (c *Comparison) facetTable(facets []facet) *table.Table {
	t := &table.Table{Columns: []table.Column{{Title: "benchmark", Name: true},
		{Title: "metric"}, {Title: "base", Align: text.Right}, {Title: "new", Align: text.Right},
		{Title: "change", Align: text.Right}, {Title: "verdict", Verdict: true}, {Title: "p, n"}}}
	several := len(c.Columns) > 2
	if several {
		t.Columns = append(t.Columns, table.Column{Title: "new is"})
	}
	for _, f := range facets {
		cells := []string{c.name(f.row.Name), f.table.Unit, f.withInterval(f.base()),
			f.withInterval(f.cell()), f.change(), f.marked(cmp.Or(f.verdict(), "same")), f.basis()}
		if several {
			cells = append(cells, c.Columns[f.column])
		}
		t.Rows = append(t.Rows, table.Row{Class: f.word(), Cells: cells})
	}
	return t
}

const maxDrawn = 16

// The scale of the ratios is logarithmic. Without changes the figure is nil.
func (c *Comparison) changeFigure(changed []facet) (*shell.Figure, error) {
	kinds := []string{"better", "worse", "differs"} // in the order of their colours: blue, vermilion, green
	var drawn []shell.Row
	for _, f := range changed[:min(len(changed), maxDrawn)] {
		r := shell.Row{Name: c.name(f.row.Name) + " · " + shell.Metric(f.table.Unit),
			Kind: slices.Index(kinds, f.word()), Value: f.ratio()}
		if len(c.Columns) > 2 {
			r.Name += " " + c.Columns[f.column]
		}
		if mark := f.doubt().Mark(); mark != "" {
			r.Name += " (" + mark + ")"
		}
		if math.IsInf(r.Value, 0) || r.Value <= 0 {
			r.Value = math.NaN()
		}
		drawn = append(drawn, r)
	}
	caption := "Changes over the pairs of runs or, without pairs, ratios of the medians. The " +
		"table contains the numbers, with intervals and p-values."
	if more := len(changed) - len(drawn); more > 0 {
		caption += fmt.Sprintf(" %d smaller changes are only in the table.", more)
	}
	return shell.Rows("changes", "What changed, new to base", caption, kinds, drawn,
		charts.Axis{Label: "new ÷ base (log scale)", Log: true, Reach: []float64{1}},
		[]charts.Level{{Name: "no change", Y: 1}})
}
