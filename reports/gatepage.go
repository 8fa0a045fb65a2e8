package reports

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

//go:embed gatepage.html.tmpl
var gatePageText string

var gatePageTemplate = template.Must(template.New("gate").Parse(gatePageText))

// gatePage is what the template shows.
type gatePage struct {
	Outcome string
	Code    int
	Summary []string
	Remarks []string
	Heads   []string
	Rows    []gatePageRow
	Figures []gatePageFigure
	CSS     template.CSS
}

type gatePageRow struct {
	Class string
	Cells []string
}

type gatePageFigure struct {
	Title, Caption string
	Wide, Narrow   template.HTML
}

// pairsBeside is how many rows have their pairs drawn side by side.
const pairsBeside = 3

// WriteGatePage writes a gate's report as a page for a browser, with every pair drawn. It needs nothing beside it, and loads nothing.
func WriteGatePage(w io.Writer, r *GateReport, pairs []GatePairs) error {
	page := gatePage{Outcome: r.outcome(), Code: r.ExitCode(), Summary: r.summary(), Remarks: r.remarks(), CSS: template.CSS(reportCSS + charts.Style())}
	for _, c := range gateColumns {
		page.Heads = append(page.Heads, c.head)
	}
	short, _ := shortNames(r.names())
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := append(row.columns(short), row.Reason)
		page.Rows = append(page.Rows, gatePageRow{strings.ReplaceAll(string(row.Verdict), " ", "-"), cells})
	}
	pairs = moved(pairs)
	chart, err := r.estimates(pairs)
	if err := page.add(chart, err, "Estimates", "How much larger the new values are, with the interval. Beyond the margin a change for the worse counts; an interval that ends before the promise rules such a change out."); err != nil {
		return err
	}
	title, caption := "Every pair", "The change in each pair, in the order in which they were measured. The first ones screened; where there are fresh ones, they alone decided, and the estimate is theirs."
	for some := range slices.Chunk(pairs, pairsBeside) {
		chart, err := r.everyPair(some)
		if err := page.add(chart, err, title, caption); err != nil {
			return err
		}
		title, caption = "", ""
	}
	return gatePageTemplate.Execute(w, page)
}

// add draws a chart, unless there is nothing to draw.
func (p *gatePage) add(c *charts.Chart, err error, title, caption string) error {
	if _, empty := errors.AsType[*charts.EmptyError](err); empty {
		return nil
	} else if err != nil {
		return err
	}
	c.Alt = strings.TrimPrefix(title+". "+caption, ". ")
	var wide, narrow bytes.Buffer
	if err := errors.Join(c.InlineSVG(&wide, charts.Wide), c.InlineSVG(&narrow, charts.Narrow)); err != nil {
		return err
	}
	p.Figures = append(p.Figures, gatePageFigure{title, caption, template.HTML(wide.String()), template.HTML(narrow.String())})
	return nil
}
