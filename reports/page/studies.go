package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

type reportStudy struct {
	decide.Finding
	ID   string
	Kind string // of the verdict, for the style sheet
	// shows the verdict without colour
	Sign string
	// number of runs, scenarios and doubted scenarios
	Runs    string
	Figures []reportFigure
	Groups  []reportSection // with figures if the study has none of its own
	Doubts  []doubtedCell
	Doubted int        // scenarios
	Common  []string   // facts that all groups share
	Above   string     // name of its figure on the first screen
	Spark   shell.HTML // its first chart without text, or ""
	Page    string     // its page, from the index, or "" if it is on this page
}

var verdictSigns = map[decide.ClaimVerdict]string{decide.Holds: "✓", decide.DoesNotHold: "✗",
	decide.Depends: "◐", decide.ClaimUndecided: "?"}

func (s *reportStudy) badge() shell.Badge {
	kinds := map[decide.ClaimVerdict]string{decide.Holds: "ok", decide.DoesNotHold: "bad",
		decide.Depends: "warn"}
	return shell.Badge{Kind: kinds[s.Verdict], Text: strings.TrimSpace(s.Sign + " " + string(s.Verdict))}
}

// of is the study of each finding, or -1 without a name.
func (r *Report) namedStudies(in *reportInput) (studies []reportStudy, of []int) {
	for _, f := range in.results.Findings {
		if f.Study == "" {
			of = append(of, -1)
			continue
		}
		s := reportStudy{
			Finding: f, ID: r.unique(charts.FileName("study-" + f.Study)), Kind: "other",
			Sign: verdictSigns[f.Verdict],
		}
		s.Advice, s.Because = text.Together(f.Advice), text.Together(f.Because)
		s.Lines = text.Texts(f.Lines, text.Together)
		if s.Sign != "" {
			s.Kind = charts.FileName(string(f.Verdict))
		}
		of = append(of, len(studies))
		studies = append(studies, s)
	}
	return studies, of
}

func (in *reportInput) needsCharts(g *Group) bool {
	if Foreign(g) {
		return false
	}
	return g.Study < 0 || !slices.ContainsFunc(in.figures, func(f Figure) bool {
		return f.Study == in.study(g)
	})
}

// Learnt limits are always shown over time, even if the group has no standard charts.
func (in *reportInput) needsTimeline(g *Group) bool {
	return in.needsCharts(g) || !Foreign(g) && hasMetric(g.Cells, metric.MeanLimit)
}

func (in *reportInput) study(g *Group) string {
	if g.Study < 0 {
		return ""
	}
	return in.results.Findings[g.Study].Study
}

func (s *reportStudy) describe(groups []*Group) {
	var cells []*Cell
	var all []doubtedCell
	for i, own := range distinguishing(groups) {
		s.Groups[i].Own = strings.Join(own, " · ")
		for _, fact := range append([]string{title(groups[i])}, subjects(groups[i])...) {
			if !slices.Contains(own, fact) && !slices.Contains(s.Common, fact) {
				s.Common = append(s.Common, fact)
			}
		}
		cells = append(cells, groups[i].Cells...)
		all = append(all, Doubted(groups[i], strings.Join(own, " · "))...)
	}
	if s.Doubts, s.Doubted = doubtLines(all), len(all); len(cells) == 0 {
		s.Runs = "no runs"
		return
	}
	s.Runs = runsOf(cells) + " of " + text.Count(len(cells), "scenario")
	counts := map[results.Verdict]int{}
	for _, d := range all {
		counts[d.Verdict]++
	}
	for _, v := range []results.Verdict{results.Invalid, results.Suspect} {
		if n := counts[v]; n > 0 {
			s.Runs += fmt.Sprintf(", %d %s", n, v.String())
		}
	}
}

func (s *reportStudy) Tables() (open, folded []*Table) {
	open = joinTables(s.Groups, func(g *reportSection) *Table { return &g.Table })
	for _, of := range []func(*reportSection) *Table{
		func(g *reportSection) *Table { return g.Checks },
		func(g *reportSection) *Table { return g.Evidence },
		func(g *reportSection) *Table { return g.Inside },
	} {
		folded = append(folded, joinTables(s.Groups, of)...)
	}
	return open, folded
}

func distinguishing(groups []*Group) [][]string {
	seen := make(map[string]int)
	out := make([][]string, len(groups))
	for i, g := range groups {
		out[i] = append([]string{title(g)}, subjects(g)...)
		for _, fact := range out[i] {
			seen[fact]++
		}
	}
	for i := range out {
		out[i] = slices.DeleteFunc(out[i], func(fact string) bool {
			return seen[fact] == len(groups)
		})
	}
	return out
}

func tally(studies []reportStudy) string {
	counts := map[decide.ClaimVerdict]int{}
	for _, s := range studies {
		counts[s.Verdict]++
	}
	var parts []string
	judged := 0
	for _, v := range decide.ClaimVerdicts {
		n := counts[v]
		if n == 0 {
			continue
		}
		judged += n
		words := string(v)
		if n > 1 {
			words = map[decide.ClaimVerdict]string{decide.Holds: "hold", decide.Depends: "depend",
				decide.DoesNotHold: "do not hold", decide.ClaimUndecided: "undecided"}[v]
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, words))
	}
	if judged == 0 {
		return ""
	}
	return text.Count(judged, "claim") + ": " + strings.Join(parts, ", ")
}
