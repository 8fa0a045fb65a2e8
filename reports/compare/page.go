package compare

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/prose"
	"github.com/poolbench/poolbench/reports/answer"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageCSS string

	pageTemplate = shell.Template("compare", pageText)
)

// A change is a row of a table that is compared in a column.
type change struct {
	Name, Unit, Column string // short
	label              string // in words: "codel_lifo, load 0.5"
	Base, Now, Delta   string
	Word               string // better, worse, differs; "" where nothing is told apart
	P                  string
	hopeless           bool    // of so few samples that no difference can be told
	ratio              float64 // new to base
}

// changes are all that is compared, what changed first: the worse, the better, the others, each by
// the size of the change. The first so many did.
func (c *Comparison) changes() (all []change, changed int) {
	short, _ := c.shortNames()
	for i := range c.Tables {
		t := &c.Tables[i]
		for j := range t.Rows {
			row := &t.Rows[j]
			scaler := row.scaler(benchunit.ClassOf(t.Unit))
			for col, cell := range row.Cells {
				if cell == nil || cell.Versus == nil {
					continue
				}
				base, now := row.Cells[t.Base].Summary, cell.Summary
				name := cmp.Or(short[row.Name], row.Name)
				all = append(all, change{Name: name, Unit: t.Unit, label: answer.Benchmark(name),
					Column: c.Columns[col], Word: t.Change(row, col),
					Base:  join(scaler.Format(base.Center), "±", base.PctRangeString()),
					Now:   join(scaler.Format(now.Center), "±", now.PctRangeString()),
					Delta: cell.Versus.FormatDelta(base.Center, now.Center),
					P:     cell.Versus.String(), ratio: now.Center / base.Center,
					hopeless: max(cell.Versus.N1, cell.Versus.N2) < judge.SamplesFor(c.Alpha/2)})
			}
		}
	}
	order := []string{"worse", "better", "differs", ""}
	slices.SortStableFunc(all, func(a, b change) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Word), slices.Index(order, b.Word)),
			cmp.Compare(b.size(), a.size()))
	})
	if changed = slices.IndexFunc(all, func(c change) bool { return c.Word == "" }); changed < 0 {
		changed = len(all)
	}
	return all, changed
}

// way words the change: "34.2 % higher".
func (c change) way() string {
	if c.ratio > 0 && !math.IsInf(c.ratio, 0) {
		return answer.Change(c.ratio)
	}
	return fmt.Sprintf("%s, before %s", c.Now, c.Base)
}

// size is how large a change is, as a logarithm; a change from 0, or to it, is the largest.
func (c change) size() float64 {
	if s := math.Abs(math.Log(c.ratio)); !math.IsNaN(s) {
		return s
	}
	return 0
}

// WritePage writes a comparison as a page for a browser: what changed first, the rest folded. It
// needs nothing beside it, and loads nothing. The other sections, such as an explorer of what is
// compared, follow what changed; those without a body are left out.
func WritePage(w io.Writer, c *Comparison, sections ...shell.Section) error {
	p, err := newPage(c, sections)
	if err != nil {
		return err
	}
	return p.Write(w)
}

// WriteCard writes what changed as a picture to send: see shell.Page.WriteCard.
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
		Answer:   c.found(all, at), Trust: c.badges(all, at), CSS: pageCSS,
		Source: template.HTML("Written by <code>poolbench compare</code>.")}
	if at > 0 {
		f, err := changeFigure(all[:at], len(c.Columns) > 2)
		if err != nil {
			return nil, err
		}
		p.Figure = f
	}
	if n := len(all); n > 0 {
		p.Basis = fmt.Sprintf("Of %s at p ≤ %.4g some %.2g differ by chance alone. Intervals are "+
			"of %.4g %% confidence.", prose.Count(n, "comparison"), c.Alpha, c.Alpha*float64(n),
			100*c.Confidence)
	}
	for _, s := range []struct {
		id, title string
		rows      any
		n         int
	}{{"changed", "What changed", all[:at], at}, {"same", "Not told apart", all[at:],
		len(all) - at}, {"notes", "Notes", c.Notes(), len(c.Notes())}} {
		if s.id == "same" {
			for _, own := range sections {
				if own.Body != "" {
					p.Sections = append(p.Sections, own)
				}
			}
		}
		if s.n == 0 {
			continue
		}
		body, err := shell.Render(pageTemplate, s.id, s.rows)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, shell.Section{ID: s.id, Title: s.title, Body: body})
	}
	return p, nil
}

// found is the largest change for the worse, or else for the better, and how many there are; at is
// how many of all changed. No more of them than chance makes are no finding.
func (c *Comparison) found(all []change, at int) (a answer.Answer) {
	counts := make(map[string]int)
	for _, row := range all {
		counts[strings.ReplaceAll(row.Word, "differs", "different")]++
	}
	switch {
	case len(all) == 0:
		a.Headline = "Nothing is compared"
		for _, note := range c.Notes() {
			a.Facts = append(a.Facts, answer.Fact{Title: "Why", Text: note})
			break
		}
	case at == 0 && !slices.ContainsFunc(all, func(row change) bool { return !row.hopeless }):
		a.Headline = fmt.Sprintf("Nothing can be told apart: %s of fewer than %d samples each",
			prose.Count(len(all), "comparison"), judge.SamplesFor(c.Alpha/2))
	case at == 0:
		a.Headline = fmt.Sprintf("Nothing is told apart: %s, none with p ≤ %.4g",
			prose.Count(len(all), "comparison"), c.Alpha)
	case c.byChance(all, at):
		a.Headline = fmt.Sprintf("%s of %s with p ≤ %.4g, and chance alone makes some %.2g: "+
			"nothing is surely told apart", prose.Count(at, "difference"),
			prose.Count(len(all), "comparison"), c.Alpha, c.Alpha*float64(len(all)))
	default:
		first := all[0]
		a.Headline = fmt.Sprintf("The %s of %s is %s; of %s %s", answer.Metric(first.Unit),
			first.label, first.way(), prose.Count(len(all), "comparison"),
			prose.Tally(counts, "worse", "better", "different"))
	}
	for _, word := range []string{"worse", "better", "differs"} {
		var lines []string
		for _, row := range all[:at] {
			if row.Word == word {
				lines = append(lines, fmt.Sprintf("%s of %s: %s", answer.Metric(row.Unit),
					row.label, row.way()))
			}
		}
		if len(lines) > 0 {
			a.Facts = append(a.Facts, answer.Fact{Title: word,
				Text: strings.Join(prose.Few(lines, 3), "; ") + "."})
		}
	}
	if len(c.Varying) > 0 {
		a.Facts = append(a.Facts, answer.Fact{Title: "Not like with like",
			Text: c.Varying[0].Describe(c.Columns) + "."})
	}
	return a
}

// byChance reports whether chance alone makes as many changes.
func (c *Comparison) byChance(all []change, at int) bool {
	return float64(at) <= c.Alpha*float64(len(all))
}

// badges count what changed; what chance may have made alarms nobody.
func (c *Comparison) badges(all []change, at int) (out []shell.Badge) {
	kinds := []struct{ word, kind, text string }{{"worse", "bad", "worse"},
		{"better", "ok", "better"}, {"differs", "warn", "different"}, {"", "", "not told apart"}}
	for _, k := range kinds {
		n := 0
		for _, row := range all {
			if row.Word == k.word {
				n++
			}
		}
		if k.word != "" && c.byChance(all, at) {
			k.kind, k.text = "", k.text+", as by chance"
		}
		if n > 0 {
			out = append(out, shell.Badge{Kind: k.kind, Text: fmt.Sprintf("%d %s", n, k.text)})
		}
	}
	if n := len(c.Missing); n > 0 {
		out = append(out, shell.Badge{Kind: "warn", Text: fmt.Sprintf("%d missing", n)})
	}
	if n := len(c.Warnings); n > 0 {
		out = append(out, shell.Badge{Kind: "warn", Text: prose.Count(n, "warning")})
	}
	return out
}

// mostDrawn is how many changes the figure shows.
const mostDrawn = 16

// changeFigure draws the ratios of what changed, on a logarithmic scale; nil where there is none to
// draw.
func changeFigure(rows []change, named bool) (*shell.Figure, error) {
	const title = "What changed, new to base"
	var names []string
	panel := charts.RowPanel{X: charts.Axis{Label: "new ÷ base (log scale)", Log: true,
		Reach: []float64{1}}, Levels: []charts.Level{{Name: "no change", Y: 1}}}
	words := []string{"better", "worse", "differs"} // by their colours: blue, vermilion, green
	series := make([]charts.RowSeries, len(words))
	for i, w := range words {
		series[i] = charts.RowSeries{Name: w, Style: i}
	}
	drawn := rows[:min(len(rows), mostDrawn)]
	for _, row := range drawn {
		name := row.label + " · " + answer.Metric(row.Unit)
		if named {
			name += " " + row.Column
		}
		names = append(names, name)
		for i, w := range words {
			v := charts.RowValue{Mid: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
			if row.Word == w && !math.IsInf(row.ratio, 0) && row.ratio > 0 {
				v.Mid = row.ratio
			}
			series[i].Values = append(series[i].Values, v)
		}
	}
	panel.Series = slices.DeleteFunc(series, func(s charts.RowSeries) bool {
		return !slices.ContainsFunc(s.Values, func(v charts.RowValue) bool {
			return !math.IsNaN(v.Mid)
		})
	})
	chart, err := charts.Rows(title, names, []charts.RowPanel{panel})
	if _, empty := errors.AsType[*charts.EmptyError](err); empty {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	f, err := shell.Chart(chart)
	if err != nil {
		return nil, err
	}
	f.ID, f.Own = "changes", true
	f.Caption = "Ratios of the medians. The numbers, with intervals and p-values, are in the table."
	if more := len(rows) - len(drawn); more > 0 {
		f.Caption += fmt.Sprintf(" %d smaller changes are in the table alone.", more)
	}
	return &f, nil
}
