package reports

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

// reportPage is what the template shows.
type reportPage struct {
	Title      string
	Summary    string
	Facts      []Pair
	Partial    string
	Broken     []Pair // a run, and how many laws it broke
	Invalid    []Pair // a run that is INVALID for another reason, and the reasons
	Findings   []Finding
	Studies    []reportFigure
	Trust      []string // what speaks for the numbers, or against them
	Interval   string   // what the small figures are
	Strategies []reportRow
	Capacity   []reportFigure
	Groups     []reportSection
	Variance   []reportFigure
	Notes      []string
	Warnings   []string

	CSS template.CSS
	JS  template.JS
}

// reportSection is a group on the page.
type reportSection struct {
	ID, Title string
	Facts     []string
	Runs      string
	Figures   []reportFigure
	Table     reportTable
	Checks    *reportTable
	Evidence  *reportTable // what the verdicts on the runs rest on
	Doubts    []doubtLine
}

type reportFigure struct {
	ID, Title, Subtitle, Caption string
	Wide, Narrow                 template.HTML
}

var (
	//go:embed report.html.tmpl
	reportHTML string
	//go:embed report.css
	reportCSS string
	//go:embed report.js
	reportJS string

	reportTemplate = template.Must(template.New("report").Parse(reportHTML))
)

// newReport draws the charts and puts the page together.
func newReport(in *reportInput, groups []*reportGroup) (*Report, error) {
	r := &Report{page: &reportPage{
		CSS: template.CSS(reportCSS + charts.Style()),
		JS:  template.JS(reportJS),
	}}
	p := r.page
	p.Notes = in.notes
	taken := make(map[string]bool)
	if err := r.addStudies(in, in.draw, taken); err != nil {
		return nil, err
	}
	for _, s := range in.searches {
		f, notes, err := s.figure()
		if err != nil {
			return nil, err
		}
		p.Notes = append(p.Notes, notes...)
		if f == nil {
			continue
		}
		shown, err := r.add(*f, strings.Join(s.facts, " · "), taken)
		if err != nil {
			return nil, err
		}
		p.Capacity = append(p.Capacity, shown)
	}
	for _, g := range groups {
		section := reportSection{
			ID:    unique(slug("group-"+strings.Join(g.facts(), "-")), taken),
			Title: g.title(),
			Facts: g.subjects(),
			Runs:  runsOf(g.cells),
			Table: g.table(),
		}
		if checks, ok := g.checks(); ok {
			section.Checks = &checks
		}
		if evidence, ok := g.evidence(); ok {
			section.Evidence, section.Doubts = &evidence, g.doubts()
		}
		if !g.foreign() {
			for _, s := range g.sweeps() {
				figures, notes, err := in.figures(g, s)
				if err != nil {
					return nil, err
				}
				for _, note := range notes {
					p.Notes = append(p.Notes, fmt.Sprintf("%s, %s.", subtitle(g, s), note))
				}
				for _, f := range figures {
					shown, err := r.add(f, s.fixed, taken)
					if err != nil {
						return nil, err
					}
					section.Figures = append(section.Figures, shown)
				}
			}
		}
		p.Groups = append(p.Groups, section)
	}
	for _, set := range varianceSets(groups) {
		f, err := set.figure()
		if err != nil {
			return nil, err
		}
		shown, err := r.add(*f, set.title, taken)
		if err != nil {
			return nil, err
		}
		p.Variance = append(p.Variance, shown)
	}
	p.describe(in, groups)
	return r, nil
}

// add draws a figure for the page, and keeps its chart for the files.
func (r *Report) add(f figure, subtitle string, taken map[string]bool) (reportFigure, error) {
	name := unique(f.name, taken)
	r.charts = append(r.charts, NamedChart{name, f.chart})
	shown := reportFigure{ID: name, Title: cmp.Or(f.title, f.chart.Title), Subtitle: subtitle, Caption: f.caption}
	for layout, into := range map[charts.Layout]*template.HTML{charts.Wide: &shown.Wide, charts.Narrow: &shown.Narrow} {
		var svg bytes.Buffer
		if err := f.chart.InlineSVG(&svg, layout); err != nil {
			return reportFigure{}, fmt.Errorf("drawing %s: %w", name, err)
		}
		*into = template.HTML(svg.String())
	}
	return shown, nil
}

// unique appends a number to a name that is taken.
func unique(name string, taken map[string]bool) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = fmt.Sprintf("%s-%d", name, n)
	}
	taken[out] = true
	return out
}

// title is what the group is about: its workload.
func (g *reportGroup) title() string {
	if w := g.key("workload"); w != "" {
		return w
	}
	return g.base
}

// subjects are the facts of the group other than its title.
func (g *reportGroup) subjects() []string {
	facts := g.facts()
	facts = append(facts, g.oneLimit())
	return slices.DeleteFunc(facts, func(f string) bool { return f == "" || f == g.title() })
}

func runsOf(cells []*reportCell) string {
	n := 0
	for _, c := range cells {
		n += len(c.runs)
	}
	return countOf(n, "run")
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// describe fills in what the page says of the run as a whole.
func (p *reportPage) describe(in *reportInput, groups []*reportGroup) {
	results := in.results
	p.Findings = results.Findings
	p.Partial, p.Warnings = results.Partial, results.Warnings
	p.Title = dirName(in.dir)
	var cells []*reportCell
	for _, g := range groups {
		cells = append(cells, g.cells...)
	}
	p.Interval = intervals(cells)
	for i, name := range results.Strategies {
		if slices.ContainsFunc(cells, func(c *reportCell) bool { return c.strategy == name }) {
			p.Strategies = append(p.Strategies, reportRow{Name: name, Style: i, Swatch: template.HTML(charts.Swatch(i))})
		}
	}
	p.Summary = fmt.Sprintf("%s of %s", countOf(len(results.Runs), "run"), countOf(len(cells), "scenario"))
	if n := len(p.Strategies); n > 0 {
		p.Summary += ", " + countOf(n, "strategy")
		if n > 1 {
			p.Summary = strings.TrimSuffix(p.Summary, "strategys") + "strategies"
		}
	}
	p.Facts = facts(in)
	for i := range results.Runs {
		run := &results.Runs[i]
		if v, ok := run.Value("broken-laws"); ok && v > 0 {
			p.Broken = append(p.Broken, Pair{fmt.Sprintf("%s, repetition %d", run.Name, run.Repetition+1), charts.Count(v)})
		} else if v, _ := run.verdict(); v == invalid {
			p.Invalid = append(p.Invalid, Pair{fmt.Sprintf("%s, repetition %d", run.Name, run.Repetition+1), run.whyInvalid()})
		}
	}
	p.Trust = trust(results.Runs, cells, len(p.Broken))
}

// dirName is the name of a directory, that of its target where it is a link: poolbench-out/latest leads to a date.
func dirName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Base(dir)
}
