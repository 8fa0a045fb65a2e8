package page

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/front"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/why"
)

// reportPage is what the components show.
type reportPage struct {
	First    shell.Page // the first screen
	Summary  string
	Facts    []results.Pair
	Partial  string
	Failed   []results.Pair   // a run without a result, and why
	Broken   []results.Pair   // a run, and how many laws it broke
	Invalid  []results.Pair   // a run that is INVALID for another reason, and the reasons
	Answers  []decide.Finding // of no study: older files have them
	Tally    string           // of the verdicts
	Studies  []reportStudy    // in the order of the file
	Figures  []reportFigure   // that a drawer made for no study that has spoken
	Trust    []string         // what speaks for the numbers, or against them
	Interval string           // what the small figures are
	Why      []explainedGroup
	WhyMore  int // scenarios that are not explained here
	Capacity []reportFigure
	Groups   []reportSection
	Variance []reportFigure
	Profiles []why.Tool // and traces of slow tasks
	Notes    []string
	Warnings []string

	Explore shell.HTML // a section of its own
}

// reportSection is a group on the page.
type reportSection struct {
	ID, Title string
	Facts     []string
	Runs      string
	Figures   []reportFigure
	Table     Table
	Checks    *Table
	Evidence  *Table      // what the verdicts on the runs rest on
	Inside    *Table      // what the runtime and the system did
	Steps     *Table      // of sessions
	Labels    *Table      // by class, priority or tenant
	OverTime  *Table      // the response in each stretch of a run
	Failed    []failedRow // of attacks: what failed
	// rows of it that are left out
	FailedMore int
	Doubts     []doubtedCell
	Doubted    int    // rows
	Above      string // a figure of it that is on the first screen
}

type reportFigure = shell.Figure

//go:embed report.js
var reportJS string

// newReport draws the charts and puts the page together.
func newReport(in *reportInput, groups []*Group) (*Report, error) {
	r := &Report{taken: make(map[string]bool), page: &reportPage{}}
	p := r.page
	p.Notes = in.notes
	studies, of := r.namedStudies(in)
	if err := r.addFigures(in, studies); err != nil {
		return nil, err
	}
	if err := r.addSearches(in); err != nil {
		return nil, err
	}
	belong := make([][]*Group, len(studies)) // groups, by study
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

// add draws a figure for the page, and keeps its chart for the files.
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

// unique appends a number to a name that is taken.
func (r *Report) unique(name string) string {
	out := name
	for n := 2; r.taken[out]; n++ {
		out = fmt.Sprintf("%s-%d", name, n)
	}
	r.taken[out] = true
	return out
}

// title is what the group is about: its workload.
func title(g *Group) string {
	if w := g.Key("workload"); w != "" {
		return w
	}
	return g.Base
}

// subjects are the facts of the group other than its title.
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

// describe fills in what the page says of the run as a whole.
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
	p.Interval = intervals(cells)
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

// dirName is the name of a directory, that of its target where it is a link: poolbench-out/latest
// leads to a date.
func dirName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Base(dir)
}
