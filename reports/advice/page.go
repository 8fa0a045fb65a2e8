package advice

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/poolbench/poolbench/internal/quantity"
	"github.com/poolbench/poolbench/reports/answer"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
)

var (
	//go:embed page.html.tmpl
	pageText string

	pageTemplate = shell.Template("advice", pageText)
)

// WritePage writes the answer as a page for a browser. It needs nothing beside it, and loads
// nothing.
func (d *Document) WritePage(w io.Writer) error {
	kind := map[string]string{"meets": "ok", "undecided": "warn", "nothing_meets": "bad"}[d.Verdict]
	p := shell.Page{Title: "advise", Subtitle: d.Question + ", " + d.Objective,
		Answer: answer.Answer{Headline: d.Headline(), Lead: d.promise()},
		Trust:  []shell.Badge{{Kind: kind, Text: d.Verdict}}, Basis: d.Basis,
		Source: template.HTML("Written by <code>poolbench advise</code>.")}
	for _, fact := range []answer.Fact{{Title: "Work", Text: d.described()},
		{Title: "Ties", Text: d.ties()}} {
		if fact.Text != "" {
			p.Facts = append(p.Facts, fact)
		}
	}
	var err error
	if p.Figure, err = d.figure(); err != nil {
		return err
	}
	for _, s := range []struct {
		id, title string
		items     []string
	}{{"missing", "What would meet it", d.ways()},
		{"changes", "What would change it", d.changes()},
		{"runners-up", "Runners-up", d.others()},
		{"left", "Not looked at", d.NotLookedAt}} {
		if len(s.items) == 0 {
			continue
		}
		body, err := shell.Render(pageTemplate, "part", map[string]any{"ID": s.id,
			"Title": s.title, "Items": s.items})
		if err != nil {
			return err
		}
		p.Sections = append(p.Sections, shell.Section{ID: s.id, Title: s.title, Body: body})
	}
	if d.Recommendation.Go != "" {
		body, err := shell.Render(pageTemplate, "go", d.Recommendation.Go)
		if err != nil {
			return err
		}
		p.Sections = append([]shell.Section{{ID: "go", Title: "Go", Body: body}}, p.Sections...)
	}
	return p.Write(w)
}

func (d *Document) others() (lines []string) {
	for _, o := range d.RunnersUp {
		lines = append(lines, d.other(o))
	}
	return lines
}

// figure draws the promise, what other limits come to, and what becomes of it when things get
// worse, beside the bound.
func (d *Document) figure() (*shell.Figure, error) {
	o := d.Recommendation
	kinds := []string{"met", "not met"}
	var all []shell.Row
	add := func(name string, v *float64, verdict string) {
		r := shell.Row{Name: name + ": " + o.metric(v), Value: math.NaN()}
		if verdict != "met" {
			r.Kind = 1
		}
		if v != nil && *v > 0 {
			r.Value = *v
		}
		all = append(all, r)
	}
	for _, other := range []*Option{d.Below, &o, d.Above} {
		if other != nil {
			add(fmt.Sprintf("limit %d", other.Limit), other.Value, other.Verdict)
		}
	}
	for _, s := range o.Stresses {
		add(s.Name, s.Value, s.Verdict)
	}
	var levels []charts.Level
	if d.Bound > 0 {
		levels = []charts.Level{{Name: d.Objective, Y: d.Bound}}
	}
	return shell.Rows("stresses", "With other limits, and when things get worse",
		"On a log scale. All but the recommended limit is what would be, and not promised.", kinds,
		all, charts.Axis{Label: o.name() + " (log scale)", Log: true,
			Format: func(v float64) string { return quantity.Metric(o.Metric, v) }}, levels)
}
