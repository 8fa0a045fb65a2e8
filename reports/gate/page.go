package gate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/internal/table"
	"github.com/poolbench/poolbench/reports/page/shell"
)

const pairsBeside = 3

// WritePage writes a gate's report as a self-contained HTML page, with every pair drawn.
func WritePage(w io.Writer, r *verdict.Report) error {
	drawn, err := figures(r)
	if err != nil {
		return err
	}
	short, _ := heading(r)
	p := shell.Page{Title: "gate", Subtitle: strings.Join(summary(r), " · "),
		Answer: answer(r, short), Trust: badges(r), CSS: table.CSS}
	if len(drawn) > 0 {
		p.Figure, drawn = &drawn[0], drawn[1:]
	}
	p.Add(len(r.Rows) > 0, "verdicts", "Verdicts", table.Section("verdicts", "Verdicts", "",
		rowsTable(r.Rows, short).HTML("Verdicts, a table")))
	p.Add(len(drawn) > 0, "pairs", "Pairs", table.Section("pairs", "Pairs", "", drawn...))
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
	// Rows with equal pairs show nothing.
	pairs := slices.DeleteFunc(slices.Clone(r.Pairs), func(p verdict.Pairs) bool {
		return slices.Equal(p.Old, p.New)
	})
	chart, err := estimates(r, pairs)
	if err := add(chart, err, "Estimates", "Change of the new values, with the confidence "+
		"interval. Changes for the worse fail beyond the tolerance. If an interval ends below "+
		"the regression to exclude, such a regression is excluded."); err != nil {
		return nil, err
	}
	title, caption := "Every pair", "The change in each pair, in the order of measurement. The "+
		"first pairs are the screening. A verdict of worse or better depends only on the fresh "+
		"pairs."
	for some := range slices.Chunk(pairs, pairsBeside) {
		chart, err := everyPair(r, some)
		if err := add(chart, err, title, caption); err != nil {
			return nil, err
		}
		title, caption = "", ""
	}
	return all, nil
}

func answer(r *verdict.Report, short map[string]string) shell.Answer {
	a := shell.Answer{Headline: headline(r, short)}
	why := slices.Concat(r.Faults, r.Unclear)
	if len(why) > 0 && r.ExitCode() != verdict.ExitRegression {
		a.Headline += ": " + why[0]
	}
	for _, v := range []verdict.Verdict{verdict.Worse, verdict.Inconclusive, verdict.Better} {
		var rows []string
		for i := range r.Rows {
			if r.Rows[i].Verdict == v {
				rows = append(rows, sentence(&r.Rows[i], short))
			}
		}
		if len(rows) > 0 {
			a.Facts = append(a.Facts, shell.Fact{Title: string(v),
				Text: text.List(text.Truncate(rows, 3)) + "."})
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
