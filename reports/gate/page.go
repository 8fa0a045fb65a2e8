package gate

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/gate/verdict"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("gate").Parse(pageText))

// pageContent is what the template shows.
type pageContent struct {
	Outcome string
	Code    int
	Summary []string
	Remarks []string
	Heads   []string
	Rows    []pageRow
	Figures []pageFigure
	CSS     template.CSS
}

type pageRow struct {
	Class string
	Cells []string
}

type pageFigure struct {
	Title, Caption string
	Wide, Narrow   template.HTML
}

// pairsBeside is how many rows have their pairs drawn side by side.
const pairsBeside = 3

// WritePage writes a gate's report as a page for a browser, with every pair drawn. It needs
// nothing beside it, and loads nothing.
func WritePage(w io.Writer, r *verdict.Report) error {
	page := pageContent{Outcome: outcome(r), Code: r.ExitCode(), Summary: summary(r),
		Remarks: remarks(r), CSS: template.CSS(page.Style())}
	for _, c := range gateColumns {
		page.Heads = append(page.Heads, c.head)
	}
	short, _ := results.ShortNames(benchmarkNames(r))
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := append(columns(row, short), row.Reason)
		page.Rows = append(page.Rows,
			pageRow{strings.ReplaceAll(string(row.Verdict), " ", "-"), cells})
	}
	pairs := moved(r.Pairs)
	chart, err := estimates(r, pairs)
	if err := page.add(chart, err, "Estimates", "How much larger the new values are, with the "+
		"interval. Beyond the margin a change for the worse counts; an interval that ends before "+
		"the promise rules such a change out."); err != nil {
		return err
	}
	title, caption := "Every pair", "The change in each pair, in the order in which they were "+
		"measured. The first ones screened; where there are fresh ones, they alone decided, and "+
		"the estimate is theirs."
	for some := range slices.Chunk(pairs, pairsBeside) {
		chart, err := everyPair(r, some)
		if err := page.add(chart, err, title, caption); err != nil {
			return err
		}
		title, caption = "", ""
	}
	return pageTemplate.Execute(w, page)
}

// add draws a chart, unless there is nothing to draw.
func (p *pageContent) add(c *charts.Chart, err error, title, caption string) error {
	if _, empty := errors.AsType[*charts.EmptyError](err); empty {
		return nil
	} else if err != nil {
		return err
	}
	c.Alt = strings.TrimPrefix(title+". "+caption, ". ")
	var wide, narrow bytes.Buffer
	if err := errors.Join(c.InlineSVG(&wide, charts.Wide),
		c.InlineSVG(&narrow, charts.Narrow)); err != nil {
		return err
	}
	p.Figures = append(p.Figures, pageFigure{title, caption, template.HTML(wide.String()),
		template.HTML(narrow.String())})
	return nil
}
