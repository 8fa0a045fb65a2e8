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
	Broken     []Pair   // a run, and how many laws it broke
	Trust      []string // what speaks for the numbers, or against them
	Interval   string   // what the small figures are
	Strategies []reportRow
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

// configOrder are the configuration lines that the page names, with their names there.
var configOrder = []Pair{
	{"cpu", "CPU"}, {"gomaxprocs", "GOMAXPROCS"}, {"goos", "system"}, {"goarch", "architecture"}, {"go", "Go"}, {"commit", "commit"}, {"pkg", "package"},
}

// describe fills in what the page says of the run as a whole.
func (p *reportPage) describe(in *reportInput, groups []*reportGroup) {
	results := in.results
	p.Partial, p.Warnings = results.Partial, results.Warnings
	if abs, err := filepath.Abs(in.dir); err == nil {
		p.Title = filepath.Base(abs)
	}
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
		}
	}
	p.Trust = trust(results.Runs, cells, len(p.Broken))
}

// facts are the configuration lines, all values of each, and when the file was written.
func facts(in *reportInput) (out []Pair) {
	runs := in.results.Runs
	named := slices.Clone(configOrder)
	for i := range runs {
		for _, c := range runs[i].Config {
			if !slices.ContainsFunc(named, func(p Pair) bool { return p.Key == c.Key }) {
				named = append(named, Pair{c.Key, c.Key})
			}
		}
	}
	for _, n := range named {
		var values []string
		for i := range runs {
			if v := runs[i].ConfigValue(n.Key); v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			out = append(out, Pair{n.Value, strings.Join(values, ", ")})
		}
	}
	if !in.written.IsZero() {
		out = append(out, Pair{ResultsFile + " written", in.written.UTC().Format("2006-01-02 15:04") + " UTC"})
	}
	return out
}

// intervals says what the small figures below values are.
func intervals(cells []*reportCell) string {
	least, most := len(cells[0].runs), 0
	for _, c := range cells {
		least, most = min(least, len(c.runs)), max(most, len(c.runs))
	}
	switch {
	case most == 1:
		return "Each scenario was run once: how much the values vary is not known. Give --count for more."
	case most < enough:
		return fmt.Sprintf("A value is the median of %s repetitions; the small figures below it are the smallest and the largest.", spanned(least, most))
	case least >= enough:
		return fmt.Sprintf("A value is the median of %s repetitions; the small figures below it are its 95 %% confidence interval.", spanned(least, most))
	}
	return fmt.Sprintf("A value is the median of %s repetitions; the small figures below it are its 95 %% confidence interval, or, below %d repetitions, the smallest and the largest.",
		spanned(least, most), enough)
}

func spanned(least, most int) string {
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// trust sums up what the checks on the runs found.
func trust(runs []Run, cells []*reportCell, broken int) (out []string) {
	laws, oracle, equal := 0, 0, 0
	worst := 0.0
	for i := range runs {
		if _, ok := runs[i].Value("broken-laws"); ok {
			laws++
		}
		if v, ok := runs[i].Value("oracle-max-diff-sec"); ok {
			oracle++
			worst = max(worst, v)
			if v == 0 {
				equal++
			}
		}
	}
	if laws > 0 && broken == 0 {
		out = append(out, fmt.Sprintf("Every conservation law held in %s.", allOf(laws, len(runs))))
	}
	switch {
	case oracle == 0:
	case equal == oracle:
		out = append(out, fmt.Sprintf("The path-wise oracle, which replays a run's own arrivals and service times, agrees to the nanosecond with %s.", allOf(oracle, oracle)))
	default:
		out = append(out, fmt.Sprintf("The path-wise oracle, which replays a run's own arrivals and service times, agrees to the nanosecond with %d of %d runs; elsewhere a wait differs by at most %s, which is the strategy's own overhead on the real clock.",
			equal, oracle, charts.Seconds(worst)))
	}
	for _, text := range againstTheory(cells) {
		out = append(out, text)
	}
	lag := 0.0
	for i := range runs {
		if v, ok := runs[i].Value("p99-lag-sec"); ok {
			lag = max(lag, v)
		}
	}
	if lag > 0 {
		out = append(out, fmt.Sprintf("The generator itself was late by at most %s at the p99 of a run.", charts.Seconds(lag)))
	}
	return out
}

func allOf(n, total int) string {
	switch {
	case n == total && n == 1:
		return "the one run"
	case n == total:
		return fmt.Sprintf("all %d runs", n)
	}
	return fmt.Sprintf("the %d of %d runs that were checked", n, total)
}
