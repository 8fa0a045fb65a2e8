// Package studies has the named questions that poolbench answers, a file each: what is asked, the claim that is put to the test, the
// scenarios that tell, the figure, and the rule by which the results are judged.
//
// A study is above both bench, which runs its scenarios, and reports, which draws what they wrote. The default `poolbench run` is
// the quick form of all studies, one after another, into one run directory.
package studies

import (
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/peers"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A Study is a question, a claim, and the scenarios that decide on it.
type Study struct {
	Name     string
	Question string // one line
	Claim    string // what people say, as a statement that can be wrong: it is this that the verdict is on
	Count    [3]int // repetitions by Size
	// Cells are the scenarios of that size. One that is given twice is run once. Sizes may differ in the number of tasks, in the duration, and
	// in which scenarios there are; what else a scenario is must not depend on the size, or Judge and Draw would not find its runs.
	Cells func(Size) []bench.Scenario
	// With are the scenarios that a further strategy adds, or an error that says why it cannot take part; nil: the study compares a fixed set.
	With func(Size, strategies.Variant) ([]bench.Scenario, error)
	// Judge computes the verdict from what was measured, by a rule that its doc states. It copes with scenarios that have no runs.
	Judge func(*measured) Finding
	// Draw makes the study's own figures, from the same numbers; nil: the charts of any run do. A study none of whose scenarios was run
	// draws nothing, or returns a *charts.EmptyError.
	Draw func(*measured) ([]reports.Figure, error)
}

// A Size says how much a study measures.
type Size int

// The sizes. A study's verdict should be the same at each; what grows is how sure it is, and how fine its figure.
const (
	Quick    Size = iota // its share of a default run: a few seconds
	Standard             // up to two minutes on two cores
	Full                 // for publication
)

var all = registry.Set[Study]{Kind: "study"}

func register(s Study) Study { return all.Add(s.Name, s) }

// All returns the studies in the order of their names.
func All() []Study { return all.All() }

// Lookup returns the study of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Study, error) { return all.Lookup(name) }

// Suite returns the study's runs at that size, with further strategies beside its own.
func (s Study) Suite(size Size, also ...strategies.Variant) (bench.Suite, error) {
	cells := s.Cells(size)
	for _, v := range also {
		if s.With == nil {
			return bench.Suite{}, fmt.Errorf("study %s compares a fixed set of strategies, and takes no other", s.Name)
		}
		more, err := s.With(size, v)
		if err != nil {
			return bench.Suite{}, fmt.Errorf("study %s: %w", s.Name, err)
		}
		cells = append(cells, more...)
	}
	suite := bench.Suite{Count: s.Count[size]}
	seen := map[string]bool{}
	var wrong []error
	for _, sc := range cells {
		if name := sc.Name(); !seen[name] {
			seen[name] = true
			suite.Scenarios = append(suite.Scenarios, sc)
			wrong = append(wrong, sc.Validate())
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return bench.Suite{}, fmt.Errorf("study %s: %w", s.Name, err)
	}
	return suite, nil
}

// Find judges the results of the study's runs.
func (s Study) Find(results []*bench.Result) Finding { return s.Judge(fromResults(results)) }

// Figures are those of all studies that the results have runs of: a reports.Drawer.
func Figures(results *reports.Results) (figures []reports.Figure, err error) {
	m := fromFile(results)
	for _, s := range All() {
		if s.Draw == nil {
			continue
		}
		own, err := s.Draw(m)
		if empty(err) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("study %s: %w", s.Name, err)
		}
		for i := range own {
			own[i].Study = s.Name
		}
		figures = append(figures, own...)
	}
	return figures, nil
}

// limit is the one that the studies are run at unless they are about it.
const limit = 4

// cross are the scenarios of a matrix; a mistake in it is one in this package.
func cross(m bench.Matrix) []bench.Scenario {
	scenarios, err := m.Scenarios()
	if err != nil {
		panic("studies: " + err.Error())
	}
	return scenarios
}

// variants parses what the command line would say; a mistake in it is one in this package.
func variants[T any](parse func(param.Call) (T, error), texts ...string) (all []T) {
	for _, text := range texts {
		c, err := param.Parse(text)
		if err != nil {
			panic("studies: " + err.Error())
		}
		v, err := parse(c)
		if err != nil {
			panic("studies: " + err.Error())
		}
		all = append(all, v)
	}
	return all
}

// strategy parses strategies, those of other people's libraries among them.
func strategy(texts ...string) []strategies.Variant { return variants(peers.ParseVariant, texts...) }
func workload(texts ...string) []workloads.Variant  { return variants(workloads.ParseVariant, texts...) }
func target(texts ...string) []targets.Variant      { return variants(targets.ParseVariant, texts...) }
func arrival(texts ...string) []arrivals.Variant    { return variants(arrivals.ParseVariant, texts...) }
