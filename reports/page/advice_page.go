package page

import (
	"fmt"
	"io"
	"math"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
)

// WritePage writes the answer as a self-contained HTML page.
func (d *AdviceDocument) WritePage(w io.Writer) error {
	kind := map[string]string{"meets": "ok", "undecided": "warn", "nothing_meets": "bad"}[d.Verdict]
	p := shell.Page{Title: "advise", Subtitle: d.Question + ", " + d.Objective,
		Answer: shell.Answer{Headline: d.Headline(), Lead: d.evidence()},
		Trust:  []shell.Badge{{Kind: kind, Text: d.Verdict}}, Basis: d.Basis}
	for _, fact := range []shell.Fact{{Title: "Record", Text: d.omittedRecord()},
		{Title: "Simplest", Text: d.simplest()},
		{Title: "Work", Text: d.workText()}, {Title: "Queue", Text: d.queue()},
		{Title: "Ties", Text: d.ties()}} {
		if fact.Text != "" {
			p.Facts = append(p.Facts, fact)
		}
	}
	var err error
	if p.Figure, err = d.figure(); err != nil {
		return err
	}
	p.Add(d.Recommendation.Go != "", "go", "Go", code(d.Recommendation.Go))
	for _, s := range []struct {
		id, title string
		items     []string
	}{{"missing", "Changes that would meet the objective", d.missingChanges()},
		{"changes", "Changes that would change the answer", d.changes()},
		{"runners-up", "Runners-up", text.Texts(d.RunnersUp, AdviceOption.runnerUpLine)},
		{"left", "Not considered", d.NotLookedAt}} {
		p.Add(len(s.items) > 0, s.id, s.title, shell.Listed(s.id, s.title, s.items))
	}
	return p.Write(w)
}

func (d *AdviceDocument) figure() (*shell.Figure, error) {
	o := d.Recommendation
	kinds := []string{"met", "not met", "undecided"}
	var all []shell.Row
	add := func(name string, v *float64, verdict string) {
		r := shell.Row{Name: name + ": " + o.metric(v), Kind: 1, Value: math.NaN()}
		switch verdict {
		case "met":
			r.Kind = 0
		case "undecided":
			r.Kind = 2
		case Unstable:
			r.Name = name + ": " + Unstable
		}
		if v != nil && *v > 0 {
			r.Value = *v
		}
		r.Name = text.Together(r.Name)
		all = append(all, r)
	}
	for _, other := range []*AdviceOption{d.Below, &o, d.Above} {
		if other == nil {
			continue
		}
		add(fmt.Sprintf("limit %d", other.Limit), other.Value, other.Verdict)
		if other.Low != nil && other.High != nil {
			r := &all[len(all)-1]
			r.Name = text.Together(fmt.Sprintf("limit %d: %s", other.Limit, other.interval()))
			r.Lo, r.Hi = *other.Low, *other.High
		}
	}
	for _, s := range o.Stresses {
		name := s.Name
		if s.NoWorse {
			name += " (no worse)"
		}
		add(name, s.Value, s.Verdict)
	}
	var levels []charts.Level
	if d.Bound > 0 {
		levels = []charts.Level{{Name: d.Objective, Y: d.Bound}}
	}
	return shell.Rows("stresses", "Other limits and stresses",
		"On a log scale. Bars are 95 % confidence intervals. The promise applies only to the "+
			"recommended limit. The others are estimates.", kinds,
		all, charts.Axis{Label: o.name() + " (log scale)", Log: true,
			Format: func(v float64) string { return text.Metric(o.Metric, v) }}, levels)
}
