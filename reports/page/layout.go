package page

import (
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/front"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

type claimGroup struct {
	Title   string
	Studies []*reportStudy
}

// Refuted claims come first.
func (p *reportPage) claims() (out []claimGroup) {
	for _, v := range []struct {
		verdict decide.ClaimVerdict
		title   string
	}{{decide.DoesNotHold, "Does not hold"}, {decide.Depends, "Depends"},
		{decide.Holds, "Holds"}, {decide.ClaimUndecided, "Undecided"}, {"", "Without verdict"}} {
		g := claimGroup{Title: v.title}
		for i := range p.Studies {
			s := &p.Studies[i]
			if s.Verdict == v.verdict || v.verdict == "" && s.Sign == "" {
				g.Studies = append(g.Studies, s)
			}
		}
		if len(g.Studies) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func (p *reportPage) assemble() *shell.Page {
	out := p.First
	out.Source = "Written by <code>poolbench report</code> from <code>results.txt</code>. The " +
		"charts are in <code>charts/</code> as SVG and PNG."
	out.JS = reportJS
	out.Alerts = p.alerts()
	if p.Up {
		out.Up = "../" + rundir.ReportFile
	}
	shown := func(id, title string, figures []reportFigure) {
		out.Add(len(figures) > 0, id, title, set(id, title, figures))
	}
	out.Add(len(p.Why) > 0, "why", "Why is it slow?", p.why())
	if p.Explore != "" {
		out.Sections = append(out.Sections, shell.Section{ID: "explore", Title: "Explore",
			Body: p.Explore, CSS: front.CSS(), JS: front.Script()})
	}
	shown("asked", "Results", p.Figures)
	out.Add(len(p.Answers) > 0, "said", "Findings", answers(p.Answers))
	out.Add(len(p.Studies) > 1 || len(p.Studies) == 1 && p.Studies[0].Page != "", "claims",
		"Claims", p.verdicts())
	out.Add(len(p.Pages) > 0, "pages", "Runs", p.linked())
	for i := range p.Studies {
		if p.Studies[i].Page != "" {
			continue
		}
		title := ""
		if len(p.Studies) == 1 {
			title = "Study " + p.Studies[i].Study
		}
		out.Add(true, p.Studies[i].ID, title, p.Studies[i].section())
	}
	shown("capacity", "Capacity", p.Capacity)
	shown("variance", "The cost of variance", p.Variance)
	links := p.linkTitles()
	for i := range p.Groups {
		g := &p.Groups[i]
		out.Add(len(g.Figures) > 0 || g.Above != "" || g.Steps != nil, g.ID, links[i], g.section())
	}
	out.Add(len(p.Profiles) > 0, "profiles", "Profiles", profiled(p.Profiles))
	out.Add(true, "trust", "Can I trust it?", p.trust())
	out.Add(true, "method", "Method", p.method())
	out.Add(len(p.Groups) > 0, "tables", "Numbers", p.numbers())
	return &out
}

// linkTitles returns the titles of the groups for the navigation. Groups with equal titles also get
// the facts that not all of them share.
func (p *reportPage) linkTitles() (titles []string) {
	for _, g := range p.Groups {
		alike := slices.DeleteFunc(slices.Clone(p.Groups), func(o reportSection) bool {
			return o.Title != g.Title
		})
		own := slices.DeleteFunc(slices.Clone(g.Facts), func(fact string) bool {
			return !slices.ContainsFunc(alike, func(o reportSection) bool {
				return !slices.Contains(o.Facts, fact)
			})
		})
		titles = append(titles, strings.Join(append([]string{g.Title}, own...), ", "))
	}
	return titles
}

func aside(facts []string) string {
	if len(facts) == 0 {
		return ""
	}
	return strings.Join(facts, " · ") + " · "
}

func doubtText(d doubtedCell) string {
	text := d.Where + ": " + d.Which
	if why := d.Text(); why != "" {
		text += "; " + why
	}
	return text
}

func (p *reportPage) alerts() (out []shell.Alert) {
	if p.Partial != "" {
		text := "the missing runs may differ."
		if of := strings.Fields(p.Partial); len(of) > 2 && of[0] == of[2] { // "2 of 2 runs"
			text = "the last run contains its results until it was cut off."
		}
		out = append(out, shell.Alert{Lead: "This run is not complete:", Text: p.Partial +
			". The results here count; " + text})
	}
	for _, a := range []struct {
		lead, text string
		runs       []results.Pair
	}{{"These runs failed.", "They have no result, and no chart includes them.", p.Failed},
		{"These runs break invariants.", "Tasks were lost, or " +
			"counted twice, or more ran at once than the limit allows.", p.Broken},
		{"These runs are INVALID.", "The results do not describe the strategy.", p.Invalid}} {
		if len(a.runs) == 0 {
			continue
		}
		alert := shell.Alert{Lead: a.lead, Text: a.text}
		for _, r := range a.runs {
			alert.Items = append(alert.Items, shell.Item(r))
		}
		out = append(out, alert)
	}
	return out
}

// Lead returns the unfolded figure. If the first figure is at the top of the page, it is the figure
// over time, or nil.
func (s *reportSection) Lead() *reportFigure {
	if i := s.lead(); i >= 0 {
		return &s.Figures[i]
	}
	return nil
}

func (s *reportSection) lead() int {
	if s.Above == "" && len(s.Figures) > 0 {
		return 0
	}
	return slices.IndexFunc(s.Figures, func(f reportFigure) bool {
		return strings.HasPrefix(f.ID, heatKind)
	})
}

func (s *reportSection) Rest() []reportFigure {
	i := s.lead()
	if i < 0 {
		return s.Figures
	}
	return slices.Delete(slices.Clone(s.Figures), i, i+1)
}

func (s *reportSection) More() string {
	title := func(f reportFigure) string { return f.Title }
	return strings.Join(text.Texts(s.Rest(), title), " · ")
}

const maxBullets = 3

func (s *reportStudy) Bullets() []string { return s.Lines[:min(len(s.Lines), maxBullets)] }

func (s *reportStudy) MoreLines() []string { return s.Lines[min(len(s.Lines), maxBullets):] }

func (s *reportStudy) figures() (out []*[]reportFigure) {
	out = append(out, &s.Figures)
	for i := range s.Groups {
		out = append(out, &s.Groups[i].Figures)
	}
	return out
}

func (s *reportStudy) Lead() *reportFigure {
	if s.Above != "" {
		return nil
	}
	for _, of := range s.figures() {
		if len(*of) > 0 {
			return &(*of)[0]
		}
	}
	return nil
}

func (s *reportStudy) Rest() (out []reportFigure) {
	for _, of := range s.figures() {
		out = append(out, *of...)
	}
	if s.Above == "" && len(out) > 0 {
		out = out[1:]
	}
	return out
}

func (s *reportStudy) More() string {
	var parts []string
	if n := len(s.MoreLines()); n > 0 {
		parts = append(parts, text.Count(n, "line"))
	}
	if n := len(s.Rest()); n > 0 {
		parts = append(parts, text.Count(n, "figure"))
	}
	return text.List(parts)
}
