// Package studies has the named questions that poolbench answers, a file each: what is asked, and the scenarios that tell.
//
// A study is above both bench, which runs its scenarios, and reports, which judges and draws what they wrote. The default
// `poolbench run` is all studies, one after another, into one run directory.
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
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A Study is a question and the scenarios that answer it.
type Study struct {
	Name     string
	Question string // one line
	Count    int    // repetitions
	Matrix   func() bench.Matrix
	Cells    func() []bench.Scenario // in place of Matrix, where the scenarios are no product; one that is given twice is run once
	Apart    bool                    // not part of the default run: it takes its time, or is about something else
	// Answer puts into words what the results say, a line each, computed from them alone; nil: the tables and charts speak.
	Answer func([]*bench.Result) []string
	// Draw makes the study's own figures; nil: the charts of any run do.
	Draw func(*measured) ([]reports.Figure, error)
}

var all = registry.Set[Study]{Kind: "study"}

func register(s Study) Study { return all.Add(s.Name, s) }

// All returns the studies in the order of their names.
func All() []Study { return all.All() }

// Lookup returns the study of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Study, error) { return all.Lookup(name) }

// Suite returns the study's runs.
func (s Study) Suite() (bench.Suite, error) {
	scenarios, err := s.scenarios()
	if err != nil {
		return bench.Suite{}, fmt.Errorf("study %s: %w", s.Name, err)
	}
	return bench.Suite{Scenarios: scenarios, Count: s.Count}, nil
}

func (s Study) scenarios() (scenarios []bench.Scenario, err error) {
	if s.Cells == nil {
		return s.Matrix().Scenarios()
	}
	seen := map[string]bool{}
	for _, sc := range s.Cells() {
		if name := sc.Name(); !seen[name] {
			seen[name] = true
			scenarios = append(scenarios, sc)
			err = errors.Join(err, sc.Validate())
		}
	}
	return scenarios, err
}

// Figures are those of all studies that the results have runs of: a reports.Drawer.
func Figures(results *reports.Results) (figures []reports.Figure, err error) {
	m := fromFile(results)
	for _, s := range All() {
		if s.Draw == nil {
			continue
		}
		own, err := s.Draw(m)
		if err != nil {
			return nil, fmt.Errorf("study %s: %w", s.Name, err)
		}
		figures = append(figures, own...)
	}
	return figures, nil
}

// limit is the one that the studies are run at.
const limit = 4

// familiar are the strategies that a newcomer has to choose from first: nothing, three ways to wait, and shedding. The default run is
// to take less than 90 s on two cores; `--strategy all` shows the others.
func familiar() []strategies.Variant {
	return variants(strategies.ParseVariant, "unbounded", "worker_pool", "semaphore", "errgroup_limit", "bounded_queue_shed")
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

func workload(texts ...string) []workloads.Variant { return variants(workloads.ParseVariant, texts...) }
func target(texts ...string) []targets.Variant     { return variants(targets.ParseVariant, texts...) }
func arrival(texts ...string) []arrivals.Variant   { return variants(arrivals.ParseVariant, texts...) }
