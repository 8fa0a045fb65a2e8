package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/strategies"
)

// A plan is all that one call runs, section by section, into one run directory.
type plan []section

// A section is a suite with a heading: the question of a study, the place in a scenario file, or
// none.
type section struct {
	title string
	suite bench.Suite
	study *studies.Study // that judges the results; nil: none does
}

// makePlan reads the scenarios from the flags, or from the file with the flags over it; without
// either it takes the quick form of the default studies, at the seed where one is given.
func makePlan(flags words, file string) (plan, error) {
	switch {
	case file != "":
		matrices, err := readScenarioFile(file)
		if err != nil {
			return nil, err
		}
		var p plan
		var complaints []error
		for _, m := range matrices {
			suite, err := m.override(flags).suite(m.where)
			p = append(p, section{title: m.where, suite: suite})
			complaints = append(complaints, err)
		}
		return p, errors.Join(append(complaints, p.twice())...)
	case len(flags) > 0 && !flags.only("seed"):
		suite, err := flags.suite("")
		return plan{{suite: suite}}, err
	}
	var m matrix
	m.Seed = firstSeed
	for _, v := range flags["seed"] {
		if err := setSeed(&m, v.text); err != nil {
			return nil, fmt.Errorf("%s: %w", v.where, err)
		}
	}
	in, _ := studies.Default()
	return planStudies(in, studies.Quick, m.Seed, nil)
}

// planStudies has a section for each study, at that size, from that seed on, with further
// strategies.
func planStudies(
	list []studies.Study, size studies.Size, seed uint64, also []strategies.Variant,
) (p plan, err error) {
	for _, s := range list {
		suite, err := s.Suite(size, seed, also...)
		if err != nil {
			return nil, err
		}
		p = append(p, section{s.Name + ": " + s.Question, suite, &s})
	}
	return p, nil
}

// twice complains of a scenario that is in two sections: its runs would pass for repetitions of
// one.
func (p plan) twice() error {
	first := map[string]string{}
	for _, s := range p {
		for _, sc := range s.suite.Scenarios {
			name := sc.Name()
			if before, ok := first[name]; ok {
				return fmt.Errorf("%s: %s is in %s already", s.title, name, before)
			}
			first[name] = s.title
		}
	}
	return nil
}

// goOn has the plan go on with the seeds that the directory holds.
func (p plan) goOn(dir *bench.Dir) {
	for i := range p {
		p[i].suite = dir.Continued(p[i].suite)
	}
}

func (p plan) suites() (all []bench.Suite) {
	for _, s := range p {
		all = append(all, s.suite)
	}
	return all
}

func (p plan) runs() (n int) {
	for _, s := range p {
		n += s.suite.Runs()
	}
	return n
}

// estimate is bounded, since the estimates of two sections may each be as long as a Duration can
// be.
func (p plan) estimate() (total time.Duration) {
	for _, s := range p {
		total = min(total+min(s.suite.Estimate(), longestPlan), longestPlan)
	}
	return total
}

const longestPlan = 10 * arrivals.MaxSpan

// A plannedScenario is a line of --dry-run.
type plannedScenario struct {
	Name    string  `json:"name"`
	Section string  `json:"section,omitempty"`
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"` // of one run, estimated
}

// show lists the scenarios and the estimated time, and runs nothing.
func (a *app) showPlan(p plan, format string) error {
	if format == "json" {
		doc := struct {
			head
			Runs      int               `json:"runs"`
			Seconds   float64           `json:"seconds"` // estimated, all of it
			Scenarios []plannedScenario `json:"scenarios"`
		}{head: newHead("plan"), Runs: p.runs(), Seconds: p.estimate().Seconds()}
		for _, s := range p {
			for _, sc := range s.suite.Scenarios {
				doc.Scenarios = append(doc.Scenarios,
					plannedScenario{sc.Name(), s.title, max(s.suite.Count, 1),
						sc.Estimate().Seconds()})
			}
		}
		return a.json(doc)
	}
	scenarios := 0
	for _, s := range p {
		if s.title != "" {
			fmt.Fprintf(a.stdout, "# %s\n", s.title)
		}
		for _, sc := range s.suite.Scenarios {
			fmt.Fprintln(a.stdout, sc.Name())
		}
		scenarios += len(s.suite.Scenarios)
	}
	_, err := fmt.Fprintf(a.stdout, "%d scenarios, %d runs, about %s\n", scenarios, p.runs(),
		roughly(p.estimate()))
	return err
}
