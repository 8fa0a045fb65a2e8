package gate

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

//go:embed page.css
var pageCSS string

type pageRow struct {
	Class string
	Cells []pageCell
}

type pageCell struct{ Text, Below string }

// pageColumns are the heads of the page's table. Reason, metric and interval are below other
// columns, to be visible on a phone.
var pageColumns = []string{"verdict", "benchmark", "change", "old", "new", "n", "p adj.",
	"detectable"}

// pageCells returns the row's cells in the order of pageColumns.
func pageCells(row *verdict.Row, short map[string]string) []pageCell {
	c := columns(row, short)
	return []pageCell{{c[verdictColumn], row.Reason}, {c[benchmarkColumn], c[metricColumn]},
		{c[changeColumn], c[intervalColumn]}, {c[oldColumn], ""}, {c[newColumn], ""},
		{c[nColumn], ""}, {c[adjustedColumn], ""}, {c[detectableColumn], ""}}
}

const pairsBeside = 3

// WritePage writes a gate's report as a self-contained HTML page, with every pair drawn.
func WritePage(w io.Writer, r *verdict.Report) error {
	figures, err := figures(r)
	if err != nil {
		return err
	}
	p := shell.Page{Title: "gate", Subtitle: strings.Join(summary(r), " · "), Answer: found(r),
		Trust: badges(r), CSS: pageCSS}
	if len(figures) > 0 {
		p.Figure, figures = &figures[0], figures[1:]
	}
	var rows []pageRow
	short, _ := results.ShortNames(benchmarkNames(r))
	for i := range r.Rows {
		row := &r.Rows[i]
		rows = append(rows, pageRow{strings.ReplaceAll(string(row.Verdict), " ", "-"),
			pageCells(row, short)})
	}
	p.Add(len(rows) > 0, "verdicts", "Verdicts", verdicts(rows))
	p.Add(len(figures) > 0, "pairs", "Pairs", pairs(figures))
	p.Add(len(remarks(r)) > 0, "remarks", "Remarks", shell.Listed("remarks", "Remarks", remarks(r)))
	return p.Write(w)
}

func figures(r *verdict.Report) (all []shell.Figure, err error) {
	add := func(c *charts.Chart, err error, title, caption string) error {
		if err == nil {
			c.Alt = strings.TrimPrefix(title+". "+caption, ". ")
		}
		f, err := shell.Drawn("", caption, c, err)
		if f != nil {
			f.Title, f.Subtitle = title, ""
			all = append(all, *f)
		}
		return err
	}
	// a row with equal pairs has nothing to show
	pairs := slices.DeleteFunc(slices.Clone(r.Pairs), func(p verdict.Pairs) bool {
		return slices.Equal(p.Old, p.New)
	})
	chart, err := estimates(r, pairs)
	if err := add(chart, err, "Estimates", "How much larger the new values are, with the "+
		"interval. A change for the worse counts beyond the tolerance. An interval that ends before "+
		"the regression to exclude rules such a regression out."); err != nil {
		return nil, err
	}
	title, caption := "Every pair", "The change in each pair, in the order in which they were "+
		"measured. The first ones screened. A verdict of worse or better rests on the fresh ones "+
		"alone."
	for some := range slices.Chunk(pairs, pairsBeside) {
		chart, err := everyPair(r, some)
		if err := add(chart, err, title, caption); err != nil {
			return nil, err
		}
		title, caption = "", ""
	}
	return all, nil
}

func found(r *verdict.Report) shell.Answer {
	a := shell.Answer{Headline: outcome(r)}
	if len(r.Rows) == 0 {
		for _, why := range slices.Concat(r.Faults, r.Unclear) {
			a.Headline += ": " + why
			break
		}
		return a
	}
	short, _ := results.ShortNames(benchmarkNames(r))
	say := func(row *verdict.Row) string {
		cells := columns(row, short)
		s := fmt.Sprintf("%s of %s %s", cells[2], cells[1], cells[5])
		if cells[6] != "–" {
			s += " (" + cells[6] + ")"
		}
		if row.Doubt != "" {
			s = row.Doubt + ": " + s
		}
		return s
	}
	switch code := r.ExitCode(); code {
	case verdict.ExitRegression, verdict.ExitUndecidable:
		if code == verdict.ExitUndecidable && len(r.Unclear) > 0 {
			a.Headline += ": " + r.Unclear[0]
		} else if first := &r.Rows[0]; first.Verdict == verdict.Worse ||
			first.Verdict == verdict.Inconclusive {
			a.Headline += ": " + say(first)
		}
	case verdict.ExitFine:
		a.Headline += fmt.Sprintf(": no change for the worse of %.4g %% or more in %s",
			100*r.Options.Promise, text.Count(len(r.Rows), "metric"))
	}
	for _, v := range []verdict.Verdict{verdict.Worse, verdict.Inconclusive, verdict.Better} {
		var rows []string
		for i := range r.Rows {
			if r.Rows[i].Verdict == v {
				rows = append(rows, say(&r.Rows[i]))
			}
		}
		if len(rows) > 0 {
			a.Facts = append(a.Facts, shell.Fact{Title: string(v),
				Text: text.List(text.Few(rows, 3)) + "."})
		}
	}
	return a
}

func badges(r *verdict.Report) (out []shell.Badge) {
	for _, v := range []struct {
		verdict verdict.Verdict
		kind    string
	}{{verdict.Worse, "bad"}, {verdict.Inconclusive, "warn"}, {verdict.Better, "ok"},
		{verdict.NoWorse, "ok"}, {verdict.NotSuspected, ""}} {
		if n := r.Count(v.verdict); n > 0 {
			out = append(out, shell.Badge{Kind: v.kind, Text: fmt.Sprintf("%d %s", n, v.verdict)})
		}
	}
	if n := len(r.Doubts); n > 0 {
		doubted := 0
		for _, row := range r.Rows {
			if row.Doubt != "" {
				doubted++
			}
		}
		out = append(out, shell.Badge{Kind: "warn", Text: fmt.Sprintf("%d of them SUSPECT or INVALID",
			doubted)})
	}
	for _, why := range r.Faults {
		out = append(out, shell.Badge{Kind: "bad", Text: why})
	}
	return out
}
