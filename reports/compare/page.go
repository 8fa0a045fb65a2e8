package compare

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

//go:embed page.css
var pageCSS string

type change struct {
	facet
	Name, Unit, Column string
	label              string // in words: "codel_lifo, load 0.5"
	Base, Now, Delta   string
	Word               string // better, worse, differs, or "" without a significant difference
	P, Verdict         string

	order int     // by the word
	by    float64 // size of the change
}

// changes returns all comparisons: worse, better, then others, each by size. The first changed of
// them have changed.
func (c *Comparison) changes() (all []change, changed int) {
	short, _ := c.shortNames()
	order := []string{"worse", "better", "differs", ""}
	for f := range c.facets {
		name := cmp.Or(short[f.row.Name], f.row.Name)
		base, now := f.values()
		all = append(all, change{facet: f, Name: name, Unit: f.table.Unit, label: place(name),
			Column: c.Columns[f.column], Word: f.word(), Base: f.within(base, f.base()),
			Now: f.within(now, f.cell()), Delta: f.change(), P: f.basis(),
			Verdict: f.marked(cmp.Or(f.verdict(), "same")),
			order:   slices.Index(order, f.word()), by: f.size()})
	}
	slices.SortStableFunc(all, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(b.by, a.by))
	})
	if changed = slices.IndexFunc(all, func(c change) bool { return c.Word == "" }); changed < 0 {
		changed = len(all)
	}
	return all, changed
}

// within formats a value with its interval, if any. Uncertain values have none, since few runs may
// agree by chance.
func (f facet) within(value string, c *Cell) string {
	if _, uncertain := c.runs.Uncertain(f.table.Unit); uncertain ||
		math.IsInf(c.Summary.Lo, 0) || math.IsInf(c.Summary.Hi, 0) {
		return value
	}
	return value + " ± " + c.Summary.PctRangeString()
}

// place describes a row: "codel_lifo, load 0.9".
func place(name string) string {
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

// WritePage writes a comparison as a self-contained HTML page: changes first, the rest folded. The
// other sections, such as an explorer, follow the changes. Sections without a body are omitted.
func WritePage(w io.Writer, c *Comparison, sections ...shell.Section) error {
	p, err := newPage(c, sections)
	if err != nil {
		return err
	}
	return p.Write(w)
}

// WriteCard writes the changes as a picture to share: see shell.Page.WriteCard.
func WriteCard(w io.Writer, c *Comparison) error {
	p, err := newPage(c, nil)
	if err != nil {
		return err
	}
	return p.WriteCard(w)
}

func newPage(c *Comparison, sections []shell.Section) (*shell.Page, error) {
	all, at := c.changes()
	_, shared := c.shortNames()
	p := &shell.Page{Title: "compare",
		Subtitle: strings.Trim(strings.Join(c.Columns, " · ")+" · "+shared, " ·"),
		Answer:   c.found(all, at), Trust: c.badges(all, at), CSS: pageCSS}
	if at > 0 {
		var err error
		if p.Figure, err = changeFigure(all[:at], len(c.Columns) > 2); err != nil {
			return nil, err
		}
	}
	if n := len(all); n > 0 {
		p.Basis = fmt.Sprintf("Out of %[1]s, about %.2[3]g differ by chance at p ≤ %.4[2]g. Intervals have "+
			"%.4[4]g %% confidence. ", text.Count(n, "comparison"), c.Alpha, c.Alpha*float64(n),
			100*c.Confidence) + basis
	}
	p.Add(at > 0, "changed", "What changed", significant(all[:at]))
	for _, own := range sections {
		if own.Body != "" {
			p.Sections = append(p.Sections, own)
		}
	}
	p.Add(len(all) > at, "same", "No significant difference", unchanged(all[at:]))
	p.Add(len(c.Notes()) > 0, "notes", "Notes", shell.Listed("notes", "Notes", c.Notes()))
	return p, nil
}

const basis = "Values are medians of the runs. Changes are computed from pairs of runs where there are pairs."

// badges counts the changes. Changes that chance explains have a neutral colour.
func (c *Comparison) badges(all []change, at int) (out []shell.Badge) {
	kinds := []struct{ word, kind, text string }{{"worse", "bad", "worse"},
		{"better", "ok", "better"}, {"differs", "warn", "different"},
		{invalid, "bad", "INVALID, not judged"}, {"not significant", "", "not significant"},
		{"not tested", "", "not tested"}, {"", "", "the same"}}
	counts, tested, suspect := map[string]int{}, 0, 0
	for _, row := range all {
		counts[row.verdict()]++
		if row.judged() && row.doubt() != nil {
			suspect++
		}
		if row.known() && !row.equal() {
			tested++
		}
	}
	for i, k := range kinds {
		if i < 3 && c.byChance(at, tested) {
			k.kind, k.text = "", k.text+", as by chance"
		}
		if n := counts[k.word]; n > 0 {
			out = append(out, shell.Badge{Kind: k.kind, Text: fmt.Sprintf("%d %s", n, k.text)})
		}
	}
	if suspect > 0 {
		out = append(out, shell.Badge{Kind: "warn",
			Text: fmt.Sprintf("%d of them SUSPECT", suspect)})
	}
	if n := len(c.Missing); n > 0 {
		out = append(out, shell.Badge{Kind: "warn", Text: fmt.Sprintf("%d missing", n)})
	}
	if n := len(c.Warnings); n > 0 {
		out = append(out, shell.Badge{Kind: "warn", Text: text.Count(n, "warning")})
	}
	return out
}

// mostDrawn is the largest number of changes in the figure.
const mostDrawn = 16

// changeFigure draws the ratios of the changes on a logarithmic scale, or returns nil.
func changeFigure(rows []change, named bool) (*shell.Figure, error) {
	words := []string{"better", "worse", "differs"} // in the order of their colours: blue, vermilion, green
	var drawn []shell.Row
	for _, row := range rows[:min(len(rows), mostDrawn)] {
		r := shell.Row{Name: row.label + " · " + shell.Metric(row.Unit),
			Kind: slices.Index(words, row.Word), Value: row.ratio()}
		if named {
			r.Name += " " + row.Column
		}
		if mark := row.doubt().Mark(); mark != "" {
			r.Name += " (" + mark + ")"
		}
		if math.IsInf(r.Value, 0) || r.Value <= 0 {
			r.Value = math.NaN()
		}
		drawn = append(drawn, r)
	}
	caption := "Changes over the pairs of runs, or ratios of the medians where there are no " +
		"pairs. The numbers, with intervals and p-values, " +
		"are in the table."
	if more := len(rows) - len(drawn); more > 0 {
		caption += fmt.Sprintf(" %d smaller changes are in the table alone.", more)
	}
	return shell.Rows("changes", "What changed, new to base", caption, words, drawn,
		charts.Axis{Label: "new ÷ base (log scale)", Log: true, Reach: []float64{1}},
		[]charts.Level{{Name: "no change", Y: 1}})
}
