// Package studies has the named questions that poolbench answers, a file each: the question, the
// claim to test, the scenarios, the figure, and the rule that judges the results.
//
// A study imports both bench, which runs its scenarios, and reports, which draws the results. The
// default `poolbench run` is a short form of the studies that Default returns, one after another,
// in one run directory.
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

// A Study is a question, a claim, and the scenarios that decide on it.
type Study struct {
	Name     string
	Question string // one line
	// what people say, as a statement that can be wrong: it is this that the verdict is on
	Claim string
	Count [3]int // repetitions by Size
	// real time that the quick form may take on two cores with nothing else to do: its share of a
	// default run
	Budget time.Duration
	// Apart is a study that a default run leaves out: it is run by name. Without it the Budget
	// must fit what the others leave of defaultBudget.
	Apart bool
	// Cells are the scenarios of that size, without a seed. One that is given twice is run once.
	// Sizes may differ in the number of tasks, in the duration, and in which scenarios there are;
	// what else a scenario is must not depend on the size, or Judge and Draw would not find its
	// runs. nil: those With the strategies that are Compared.
	Cells    func(Size) []bench.Scenario
	Compared []string
	// With are the scenarios that strategies add; Suite asks whether they can be run. nil: the
	// study compares a fixed set.
	With func(size Size, strategies ...string) []bench.Scenario
	// Takes says why a further strategy cannot take part. nil: each can.
	Takes func(strategies.Variant) error
	// Decides lists the units of the metrics that the verdict rests on, the most important first.
	// The table in the terminal and the tables of the page show these.
	Decides []string
	// Advice is the rule of thumb by the verdict, where Judge gives none that fits the numbers.
	Advice evidence.Sentences
	// Judge computes the verdict from what was measured, by a rule that its doc states. It copes
	// with scenarios that have no runs.
	Judge func(*evidence.Measured) decide.Finding
	// Draw makes the study's own figures, from the same numbers; nil: the charts of any run do.
	Draw []drawing
}

// A drawing is a figure of a study; where none of the scenarios that it shows was run, it is empty.
type drawing func(*evidence.Measured) evidence.Figure

// A Size says how much a study measures.
type Size int

// The sizes. A study's verdict should be the same at each; what grows is how sure it is, and how
// fine its figure.
const (
	Quick    Size = iota // its share of a default run: a few seconds
	Standard             // up to two minutes on two cores
	Full                 // for publication
)

var all = registry.Set[Study]{Kind: "study"}

func register(s Study) Study {
	if s.Cells == nil {
		s.Cells = func(size Size) []bench.Scenario { return s.With(size, s.Compared...) }
	}
	return all.Add(s.Name, s)
}

// All returns the studies in the order of their names.
func All() []Study { return all.All() }

// defaultBudget is what the studies of a default run may take in all, of the 75 s that the run may:
// the rest is for the report.
const defaultBudget = 72 * time.Second

// Default returns the studies of a default run, and those that its time is too short for, which are
// run by name.
func Default() (in, out []Study) { return within(defaultBudget, All()) }

// within takes studies for as long as their budgets last, but for those that are Apart.
func within(budget time.Duration, list []Study) (in, out []Study) {
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

// Lookup returns the study of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Study, error) { return all.Lookup(name) }

// Suite returns the study's runs at that size, with further strategies beside its own; repetition i
// of each faces the work of seed+i. One that cannot run in the study's scenarios is an error, in
// one line.
func (s Study) Suite(size Size, seed uint64, also ...strategies.Variant) (bench.Suite, error) {
	cells := s.Cells(size)
	for _, v := range also {
		if s.With == nil {
			return bench.Suite{},
				fmt.Errorf("study %s compares a fixed set of strategies, and takes no other",
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
		wrong = append(wrong[:2], fmt.Sprintf("and %d more of that kind", more))
	}
	if len(wrong) > 0 {
		return bench.Suite{}, fmt.Errorf("study %s: %s", s.Name, strings.Join(wrong, "; "))
	}
	return suite, nil
}

// Find judges the results of the study's runs. Where these decide nothing and some of them are
// INVALID, it says why those are.
func (s Study) Find(results []*bench.Result) decide.Finding {
	m := evidence.FromResults(results)
	f := s.Judge(m)
	f.Study, f.Question, f.Claim, f.Decides = s.Name, s.Question, s.Claim, s.Decides
	f.Verdict = cmp.Or(f.Verdict, decide.ClaimUndecided)
	f.Advice = cmp.Or(f.Advice, s.Advice.Of(f.Verdict))
	if f.Verdict == decide.ClaimUndecided && m.Invalid > 0 {
		f.Because += fmt.Sprintf("; %d of %d runs are INVALID and left out (%s)", m.Invalid,
			len(results), m.Why)
	}
	return f
}

// Figures are those of all studies that the results have runs of: a page.Drawer.
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

// figures are those of which anything was measured.
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
