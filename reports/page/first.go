package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

type shownSweep struct {
	group *Group
	sweep Sweep
	rules shell.Sweep
}

func sweepsOf(program string, groups []*Group) (out []shownSweep) {
	for _, g := range groups {
		for _, s := range g.Sweeps() {
			rules := forRules(g, s)
			rules.Program = program
			out = append(out, shownSweep{g, s, rules})
		}
	}
	return out
}

func forRules(g *Group, s Sweep) shell.Sweep {
	out := shell.Sweep{Of: g.Varies(), Place: s.Place,
		Style: func(name string) int { return style(&s, name) }}
	for _, b := range g.Objectives {
		if b.Unit == metric.P99Response {
			out.Bound = b.Value
		}
	}
	for _, c := range s.Cells {
		out.Cases = append(out.Cases, shell.Case{Strategy: cmp.Or(c.Strategy, c.Name), X: s.X(c),
			Limit: c.Limit, Cell: c.Cell})
	}
	return out
}

func style(s *Sweep, name string) int {
	for _, c := range s.Cells {
		if c.Strategy == name {
			return c.Style
		}
	}
	return 0
}

func (s shownSweep) differsIn(all []shownSweep) string {
	var own []results.Pair
	for _, p := range slices.Concat(s.group.Keys, s.group.Extra) {
		if slices.ContainsFunc(all, func(other shownSweep) bool {
			return !slices.Contains(slices.Concat(other.group.Keys, other.group.Extra), p)
		}) {
			own = append(own, p)
		}
	}
	words := results.Words(own)
	if s.sweep.Fixed != "" {
		words = append(words, s.sweep.Fixed)
	}
	return strings.Join(words, ", ")
}

func rulesOf(sweeps []shownSweep) (out []shell.Sweep) {
	for _, s := range sweeps {
		out = append(out, s.rules)
	}
	return out
}

// first returns the group of the answer, or nil.
func (r *Report) first(in *reportInput, groups []*Group) (of *Group) {
	p := r.page
	free := sweepsOf(in.results.Program, slices.DeleteFunc(slices.Clone(groups), func(g *Group) bool {
		return g.Study >= 0
	}))
	all := sweepsOf(in.results.Program, groups)
	p.First.Title, p.First.Subtitle = dirName(in.dir), p.Summary
	p.First.Command = in.results.Command
	p.First.Trust = append(objectiveBadges(in.results.Objectives, groups),
		badges(in, shell.TrustOf(rulesOf(all)))...)
	for _, s := range in.searches {
		if a, ok := shell.OfSearch(shell.Search{Axis: s.axis, From: s.from, To: s.to,
			Objective: results.Readable(s.objective), Found: s.found}); ok {
			p.First.Answer, p.First.Basis = a, s.basis()
			if n := s.undecided(); n > 0 {
				p.First.Trust = slices.Insert(p.First.Trust, 0, shell.Badge{Kind: "warn",
					Text: fmt.Sprintf("! %d undecided", n)})
			}
			if len(p.Capacity) > 0 {
				p.First.Figure, p.Capacity = forFirstScreen(p.Capacity[0]), p.Capacity[1:]
			} else if runs, ok := shell.OfSweeps(rulesOf(free)); ok && !s.charted() {
				p.First.Figure = r.takeFigure(free[runs.Sweep], runs.Unit)
			}
			return nil
		}
	}
	if a, ok := shell.OfFindings(in.results.Findings, in.doubted); ok {
		p.First.Answer = a
		if a.Interval() {
			p.First.Basis = "Parentheses contain 95 % confidence intervals over the repetitions."
		}
		p.First.Figure = r.takeStudy(a.Study)
		if len(p.Studies) == 1 {
			p.First.Trust = slices.Insert(p.First.Trust, 0, p.Studies[0].badge())
		}
		return nil
	}
	if a, ok := shell.OfSweeps(rulesOf(free)); ok {
		s := free[a.Sweep]
		a.Next = s.rules.NextOf(a)
		if which := s.differsIn(free); which != "" {
			a.Headline += " (" + which + ")"
		}
		p.First.Answer = a
		p.First.Command = cmp.Or(p.First.Command, s.command())
		var cells []results.Cell
		for _, c := range s.sweep.Cells {
			cells = append(cells, c.Cell)
		}
		if len(s.rules.Classes()) > 1 {
			p.First.Basis = shell.Basis(cells)
		}
		p.First.Subtitle = strings.Join([]string{subtitle(s.group, s.sweep), p.Summary}, " · ")
		p.First.Figure = r.takeFigure(s, a.Unit)
		return s.group
	}
	p.First.Headline = p.Summary
	return nil
}

func (in *reportInput) doubted(f decide.Finding) bool {
	n := 0
	for _, i := range f.Runs {
		if slices.ContainsFunc(in.results.Runs[i].Doubts, func(d results.Doubt) bool {
			return d.Invalid || d.Check() == rundir.CheckMachine || d.Check() == rundir.CheckLag
		}) {
			n++
		}
	}
	return 2*n > len(f.Runs)
}

func forFirstScreen(f reportFigure) *reportFigure {
	const shown = 2
	sentences := strings.SplitAfterN(f.Caption, ". ", shown+1)
	if len(sentences) > shown {
		f.Caption = strings.TrimSpace(strings.Join(sentences[:shown], ""))
		f.More = sentences[shown]
	}
	return &f
}

func (r *Report) takeStudy(name string) *reportFigure {
	for i := range r.page.Studies {
		s := &r.page.Studies[i]
		if s.Study != name {
			continue
		}
		for _, figures := range s.figures() {
			if len(*figures) > 0 {
				f := (*figures)[0]
				*figures, s.Above = (*figures)[1:], f.ID
				return forFirstScreen(f)
			}
		}
	}
	return nil
}

// takeFigure prefers the figure with the headline's metric. A single run has only a distribution or
// a time series.
func (r *Report) takeFigure(s shownSweep, unit string) *reportFigure {
	kinds := []string{"response", "ranking"}
	if unit == metric.Goodput || unit == metric.Throughput {
		kinds = []string{"throughput", "response", "ranking"}
	}
	for _, kind := range append(kinds, "distribution", "timeline") {
		id := chartName(kind, s.group, s.sweep)
		for i := range r.page.Groups {
			g := &r.page.Groups[i]
			at := slices.IndexFunc(g.Figures, func(f reportFigure) bool { return f.ID == id })
			if at >= 0 {
				f := g.Figures[at]
				if kind == "response" { // the headline is its finding
					f.Title = "p99 response against " + Axes[s.sweep.Across].Word
				}
				g.Figures, g.Above = slices.Delete(g.Figures, at, at+1), f.ID
				return forFirstScreen(f)
			}
		}
	}
	return nil
}

// command is for directories that do not contain their command line.
func (s shownSweep) command() string {
	var runs []*results.Run
	count := 0
	for _, c := range s.sweep.Cells {
		runs, count = append(runs, c.Cell[0]), max(count, len(c.Cell))
	}
	var more []string
	if count > 1 {
		more = append(more, fmt.Sprint("--count ", count))
	}
	cmd, _ := s.rules.Command("run", strategiesOf(s.sweep.Cells), runs, more...)
	return cmd
}

func badges(in *reportInput, t shell.Reliability) (out []shell.Badge) {
	add := func(kind, format string, args ...any) {
		out = append(out, shell.Badge{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	all := t.Valid + t.Suspect + t.Invalid + t.Overload
	switch {
	case all == 0:
		add("", "%s without verdict", text.Count(t.Unknown, "scenario"))
	case t.Valid == 0:
		add("", "VALID 0 of %d", all)
	default:
		kind, valid := "ok", fmt.Sprintf("✓ VALID %d", t.Valid)
		if t.Short > 0 {
			kind, valid = "", fmt.Sprintf("VALID %d", t.Valid)
		}
		if t.Valid < all {
			valid += fmt.Sprintf(" of %d", all)
		}
		add(kind, "%s", valid)
	}
	if t.Short > 0 {
		add("warn", "! %d too short for a p99 within ±10 %%", t.Short)
	}
	if t.Invalid > 0 {
		add("bad", "✗ INVALID %d", t.Invalid)
	}
	if t.Suspect > 0 {
		add("warn", "! SUSPECT %d", t.Suspect)
	}
	if t.Why != "" {
		add("", "mainly %s", t.Why)
	}
	if t.Overload > 0 {
		add("", "%d unstable, as requested (load ≥ capacity)", t.Overload)
	}
	if n := len(in.results.Failures); n > 0 {
		add("bad", "%s failed", text.Count(n, "run"))
	}
	var clocks []string
	for i := range in.results.Runs {
		if c := in.results.Runs[i].Key("clock"); c != "" && !slices.Contains(clocks, c) {
			clocks = append(clocks, c)
		}
	}
	if len(clocks) > 0 {
		add("", "%s clock, %s", text.List(clocks), text.Count(len(in.results.Runs), "run"))
	}
	return out
}
