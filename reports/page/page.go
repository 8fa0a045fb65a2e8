package page

import (
	_ "embed"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/front"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/why"
)

type reportPage struct {
	First    shell.Page
	Summary  string
	Facts    []results.Pair
	Partial  string
	Failed   []results.Pair   // runs without a result, with reasons
	Broken   []results.Pair   // runs with the number of broken laws
	Invalid  []results.Pair   // other INVALID runs, with reasons
	Answers  []decide.Finding // without a study, as in older files
	Tally    string
	Studies  []reportStudy  // in the order of the file
	Figures  []reportFigure // made by drawers, for studies without a finding
	Trust    []string       // evidence for and against the numbers
	Interval string         // explains the small figures
	Has      runFeatures
	Why      []explainedFamily
	WhyMore  int // number of scenarios without explanation on the page
	Capacity []reportFigure
	Groups   []reportSection
	Variance []reportFigure
	Profiles []why.Tool // and traces of slow tasks
	Notes    []string
	Warnings []string

	Explore shell.HTML // its own section

	// for a report of several pages
	Up    bool          // this page is below the index
	Pages []subpageLink // of the index: pages outside of studies
}

type runFeatures struct{ Load, Several, Theory bool }

func featuresOf(cells []*Cell) (has runFeatures) {
	for _, c := range cells {
		has.Load = has.Load || !math.IsNaN(c.Load)
		has.Several = has.Several || c.Strategy != cells[0].Strategy
		has.Theory = has.Theory || slices.ContainsFunc(metric.Quantiles,
			func(q metric.Quantile) bool {
				return !math.IsNaN(c.Value(metric.Theory(q.Unit(metric.Response))))
			})
	}
	return has
}

type reportSection struct {
	ID, Title string
	Own       string // facts that the other groups of its study do not share
	Facts     []string
	Runs      string
	Figures   []reportFigure
	Table     Table
	Checks    *Table
	Evidence  *Table      // evidence behind the verdicts
	Inside    *Table      // runtime and system metrics
	Steps     []*Table    // by stage, and by step of a session or URL
	Labels    *Table      // by class, priority or tenant
	OverTime  *Table      // response by stretch of a run
	Failed    []failedRow // failures of attacks
	// number of omitted rows
	FailedMore int
	Doubts     []doubtedCell
	Doubted    int    // rows
	Above      string // name of its figure on the first screen
}

type reportFigure = shell.Figure

//go:embed report.js
var reportJS string

func emptyReport(in *reportInput) *Report {
	return &Report{in: in, taken: make(map[string]bool),
		page: &reportPage{Notes: slices.Clip(in.notes)}}
}

// newReport adds the page's names to taken, the names that other pages use.
func newReport(in *reportInput, groups []*Group, taken map[string]bool) (*Report, error) {
	r := emptyReport(in)
	r.taken = taken
	p := r.page
	studies, of := r.namedStudies(in)
	if err := r.addFigures(in, studies); err != nil {
		return nil, err
	}
	if err := r.addSearches(in); err != nil {
		return nil, err
	}
	belong := make([][]*Group, len(studies)) // by study
	var free []*Group
	var ids []string
	for _, g := range groups {
		section, err := r.section(in, g)
		if err != nil {
			return nil, err
		}
		ids = append(ids, section.ID)
		if g.Study < 0 {
			p.Groups, free = append(p.Groups, section), append(free, g)
			continue
		}
		s := of[g.Study]
		studies[s].Groups, belong[s] = append(studies[s].Groups, section), append(belong[s], g)
	}
	for i := range studies {
		if s := &studies[i]; len(s.Figures) == 0 {
			if err := r.addVariance(&s.Figures, belong[i]); err != nil {
				return nil, err
			}
		}
		studies[i].describe(belong[i])
	}
	if err := r.addVariance(&p.Variance, free); err != nil {
		return nil, err
	}
	p.Profiles = profilesOf(in)
	p.Studies, p.Tally = studies, tally(studies)
	p.describe(in, groups)
	r.first(in, groups)
	p.Why, p.WhyMore = explained(in.results)
	var err error
	data := in.data(groups, ids)
	data.Command = p.First.Command
	p.Explore, err = front.Section(data)
	return r, err
}

func (r *Report) add(to *[]reportFigure, f figure, subtitle string) error {
	name := r.unique(f.name)
	r.charts = append(r.charts, namedChart{name, f.chart})
	shown, err := shell.Chart(f.chart)
	if err != nil {
		return fmt.Errorf("drawing %s: %w", name, err)
	}
	shown.ID, shown.Title, shown.Subtitle = name, f.chart.Title, subtitle
	shown.Caption, shown.Own = f.caption, f.own
	*to = append(*to, shown)
	return nil
}

func (r *Report) unique(name string) string {
	out := name
	for n := 2; r.taken[out]; n++ {
		out = fmt.Sprintf("%s-%d", name, n)
	}
	r.taken[out] = true
	return out
}

func title(g *Group) string {
	if w := g.Key("workload"); w != "" {
		return w
	}
	return g.Base
}

func subjects(g *Group) []string {
	facts := factsOf(g)
	facts = append(facts, g.OneLimit())
	return slices.DeleteFunc(facts, func(f string) bool { return f == "" || f == title(g) })
}

func runsOf(cells []*Cell) string {
	n := 0
	for _, c := range cells {
		n += len(c.Cell)
	}
	return text.Count(n, "run")
}

func (p *reportPage) describe(in *reportInput, groups []*Group) {
	all := in.results
	for _, f := range all.Findings {
		if f.Study == "" {
			p.Answers = append(p.Answers, f)
		}
	}
	p.Partial, p.Warnings = all.Partial, all.Warnings
	for _, f := range all.Failures {
		p.Failed = append(p.Failed, results.Pair{Key: f.Name + fmt.Sprintf(" (seed %d)", f.Seed),
			Value: f.Reason})
	}
	var cells []*Cell
	for _, g := range groups {
		cells = append(cells, g.Cells...)
	}
	p.Has = featuresOf(cells)
	if len(cells) > 0 {
		p.Interval = intervals(cells)
	}
	strategies := 0
	for _, name := range all.Strategies {
		if slices.ContainsFunc(cells,
			func(c *Cell) bool { return c.Strategy == name && !c.Unbounded() }) {
			strategies++
		}
	}
	p.Summary = fmt.Sprintf("%s of %s", text.Count(len(all.Runs), "run"),
		text.Count(len(cells), "scenario"))
	if strategies > 0 {
		p.Summary += ", " + text.Count(strategies, "strategy")
	}
	p.Facts = facts(in)
	p.Broken, p.Invalid = unbelievable(all.Runs)
	p.Trust = trust(all.Runs, cells, len(p.Broken))
}

// dirName follows a link, such as poolbench-out/latest.
func dirName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Base(dir)
}
