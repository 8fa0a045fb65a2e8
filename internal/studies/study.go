// Package studies contains the named questions that poolbench answers, one per file: the question,
// the claim to test, the scenarios, the figure, and the rule that judges the results.
//
// Unless its doc comment states another rule, a claim is judged case by case by an evidence.Ruling,
// with 95 % confidence intervals over the repetitions. It holds if all cases meet it, does not hold
// if none does, and otherwise depends on the case.
package studies

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/strategies"
)

type Study struct {
	Name     string
	Question string
	// a common opinion that the verdict judges
	Claim string
	Count [3]int
	// real time of the quick size on two idle cores
	Budget time.Duration
	// Apart excludes the study from a default run.
	Apart bool
	// Cells returns the scenarios of a size, without a seed. Sizes may differ only in the number of
	// tasks, the duration and the set of scenarios, or Judge and Draw would not find the runs. nil:
	// With, for the strategies in Compared.
	Cells    func(Size) []bench.Scenario
	Compared []string
	// With returns the scenarios of further strategies. nil: the study compares a fixed set.
	With func(size Size, strategies ...string) []bench.Scenario
	// Takes returns the reason why a further strategy cannot take part. nil: all can.
	Takes func(strategies.Variant) error
	// Decides lists the units of the metrics that decide the verdict, the most important first.
	Decides []string
	// Advice has a recommendation for each verdict without one from Judge.
	Advice evidence.Sentences
	// Judge must accept scenarios without runs.
	Judge func(*evidence.Measured) decide.Finding
	// nil: only the charts of any run
	Draw []drawing
}

// A drawing returns an empty figure if none of its scenarios was run.
type drawing func(*evidence.Measured) evidence.Figure

type Size int

// A larger size should give the same verdict with narrower intervals.
const (
	Quick Size = iota // for a default run: a few seconds
	Standard
	Full
)

var all = registry.Set[Study]{Kind: "study"}

func register(s Study) Study {
	if s.Cells == nil {
		s.Cells = func(size Size) []bench.Scenario { return s.With(size, s.Compared...) }
	}
	return all.Add(s.Name, s)
}

func All() []Study { return all.All() }

// A default run takes 75 s with its report.
const defaultBudget = 72 * time.Second

func Default() (in, out []Study) { return withinBudget(defaultBudget, All()) }

func withinBudget(budget time.Duration, list []Study) (in, out []Study) {
	for _, s := range list {
		if s.Apart || s.Budget > budget {
			out = append(out, s)
			continue
		}
		budget -= s.Budget
		in = append(in, s)
	}
	return in, out
}

func Lookup(name string) (Study, error) { return all.Lookup(name) }

// Suite returns the study's runs. Repetition i uses seed+i. The error has one line.
func (s Study) Suite(size Size, seed uint64, also ...strategies.Variant) (bench.Suite, error) {
	cells := s.Cells(size)
	for _, v := range also {
		if s.With == nil {
			return bench.Suite{},
				fmt.Errorf("study %s compares a fixed set of strategies, and accepts no other",
					s.Name)
		}
		if s.Takes != nil {
			if err := s.Takes(v); err != nil {
				return bench.Suite{}, fmt.Errorf("study %s: %w", s.Name, err)
			}
		}
		cells = append(cells, s.With(size, v.String())...)
	}
	suite := bench.Suite{Count: s.Count[size]}
	seen := map[string]bool{}
	var wrong []string
	for _, sc := range cells {
		name := sc.Name()
		if seen[name] {
			continue
		}
		seen[name] = true
		sc.Seed = seed
		suite.Scenarios = append(suite.Scenarios, sc)
		if complaint := evidence.Impossible(sc); complaint != "" && !slices.Contains(wrong,
			complaint) {
			wrong = append(wrong, complaint)
		}
	}
	if more := len(wrong) - 2; more > 0 {
		wrong = append(wrong[:2], fmt.Sprintf("and %d more of this kind", more))
	}
	if len(wrong) > 0 {
		return bench.Suite{}, fmt.Errorf("study %s: %s", s.Name, strings.Join(wrong, "; "))
	}
	return suite, nil
}

// If runs are INVALID, an undecided finding contains the reasons.
func (s Study) Find(results []*bench.Result) decide.Finding {
	m := evidence.FromResults(results)
	f := s.Judge(m)
	f.Study, f.Question, f.Claim, f.Decides = s.Name, s.Question, s.Claim, s.Decides
	f.Verdict = cmp.Or(f.Verdict, decide.ClaimUndecided)
	f.Advice = cmp.Or(f.Advice, s.Advice.For(f.Verdict))
	if f.Verdict == decide.ClaimUndecided && m.Invalid > 0 {
		f.Because += fmt.Sprintf("; %d of %d runs are INVALID and omitted (%s)", m.Invalid,
			len(results), m.Why)
	}
	return f
}

// Figures is a page.Drawer.
func Figures(results *results.Results) (figures []page.Figure, err error) {
	for _, s := range All() {
		own, err := s.figures(evidence.FromFile(results, s.Name))
		if err != nil {
			return nil, fmt.Errorf("study %s: %w", s.Name, err)
		}
		figures = append(figures, own...)
	}
	return figures, nil
}

func (s Study) figures(m *evidence.Measured) (figures []page.Figure, err error) {
	if m.Empty() {
		return nil, nil
	}
	for _, draw := range s.Draw {
		f, ok, err := draw(m).Page()
		if err != nil {
			return nil, err
		}
		if ok {
			f.Study = s.Name
			figures = append(figures, f)
		}
	}
	if len(figures) > 0 {
		figures[0].Notes = append(figures[0].Notes, m.LeftOut...)
	}
	return figures, nil
}
