package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/prose"
	"github.com/poolbench/poolbench/internal/quantity"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads/sql"
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
		matrices, err := readScenarioFile(file, axisNames())
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
	seed := uint64(firstSeed)
	for _, v := range flags["seed"] {
		var err error
		if seed, err = parseSeed(v.text); err != nil {
			return nil, fmt.Errorf("%s: %w", v.where, err)
		}
	}
	in, _ := studies.Default()
	return planStudies(in, studies.Quick, seed, nil)
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

// soak makes soaks of all runs, if that is asked for.
func (p plan) soak(all bool) error {
	if !all {
		return nil
	}
	for _, s := range p {
		if s.study != nil {
			return errors.New("--soak is for scenarios; the studies look at single tasks")
		}
		for i := range s.suite.Scenarios {
			sc := &s.suite.Scenarios[i]
			sc.Soak = true
			if err := sc.Validate(); err != nil {
				return fmt.Errorf("--soak: %w", err)
			}
		}
	}
	return nil
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

// headline says what the plan is, in few words.
func (p plan) headline() string {
	var names []string
	for _, s := range p {
		if s.study != nil {
			names = append(names, s.study.Name)
		}
	}
	if len(names) == 0 {
		return prose.Count(p.runs(), "run")
	}
	return "study " + strings.Join(prose.Few(names, 4), ", ")
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
		quantity.Roughly(p.estimate()))
	return err
}

// A word is one value as the user wrote it, and where: "--limit", or "scenarios.yaml:3:10: limit".
type word struct{ text, where string }

// words are a matrix as it was written: the values of each axis by its name.
type words map[string][]word

// firstSeed is that of the first repetition where no other is given.
const firstSeed = 1

// only reports whether the words speak of that axis and of nothing else.
func (w words) only(axis string) bool { return len(w) == 1 && w[axis] != nil }

// have reports whether the words speak of that axis.
func (w words) have(axis string) bool { return w[axis] != nil }

// override lets flags replace what a file says: an axis given by a flag takes the place of the
// file's, and of those that exclude it.
func (w words) override(flags words) words {
	if len(flags) == 0 {
		return w
	}
	merged := words{}
	for _, x := range axes() {
		switch {
		case flags[x.name] != nil:
			merged[x.name] = flags[x.name]
		case w[x.name] != nil && !slices.ContainsFunc(x.excludes, flags.have):
			merged[x.name] = w[x.name]
		}
	}
	return merged
}

// suite reads the words. The error joins all complaints; where stands before those that are about
// no single word.
func (w words) suite(where string) (bench.Suite, error) {
	zero := bench.Scenario{}.Written()
	m := matrix{count: 1}
	m.Seed = firstSeed
	m.Stop.Warmup = zero.Warmup
	var complaints []error
	for _, x := range axes() {
		given := w[x.name]
		if len(given) > 1 && !x.many {
			complaints = append(complaints,
				fmt.Errorf("%s: takes one value, got %d", given[1].where, len(given)))
			continue
		}
		for _, v := range given {
			complaints = append(complaints, prefixed(v.where, x.set(&m, v.text))...)
		}
	}
	if w["strategy"] == nil {
		every, err := parseStrategies(everything)
		m.Strategies, complaints = every, append(complaints, err)
	}
	if w["stages"] != nil {
		complaints = append(complaints, w.stages(&m)...)
	} else if w["n"] == nil && w["duration"] == nil {
		m.Stop.Tasks = tasksOf(m.Arrivals, zero.Tasks)
	}
	if err := errors.Join(complaints...); err != nil {
		return bench.Suite{}, err
	}
	scenarios, err := m.Scenarios()
	if err != nil {
		return bench.Suite{}, errors.Join(prefixed(where, err)...)
	}
	if w["n"] == nil && w["duration"] == nil && w["stages"] == nil {
		for i := range scenarios {
			scenarios[i].Stop.Tasks = tasksIn(scenarios[i])
		}
	}
	suite := bench.Suite{Scenarios: scenarios, Count: m.count}
	if n := suite.Runs(); n > mostRuns {
		return suite, errors.Join(prefixed(where,
			fmt.Errorf("count %d: these are %d runs; want at most %d", m.count, n, mostRuns))...)
	}
	return suite, nil
}

// A run under the real clock at a given rate takes as long as its tasks take to arrive. Without
// --n it ends after firstLook, but not before the tasks tell a p99.9: 3688 beside the warm-up.
const (
	firstLook  = 20 * time.Second
	firstTasks = 4100
)

// tasksOf is how many tasks the runs have by default: all of a trace, and the same for each of the
// arrivals.
func tasksOf(all []arrivals.Variant, otherwise int) (tasks int) {
	for _, a := range all {
		if n := a.Tasks(); n > 0 && (tasks == 0 || n < tasks) {
			tasks = n
		}
	}
	return cmp.Or(tasks, otherwise)
}

// tasksIn is how many tasks a run of the scenario has when nobody says how many.
func tasksIn(s bench.Scenario) int {
	if s.Clock != bench.Real || s.Load.PerSecond == 0 {
		return s.Stop.Tasks
	}
	return min(s.Stop.Tasks, max(firstTasks, int(s.Load.PerSecond*firstLook.Seconds())))
}

// prefixed puts where before each of the errors joined in err.
func prefixed(where string, err error) (complaints []error) {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			complaints = append(complaints, prefixed(where, e)...)
		}
		return complaints
	}
	if where != "" {
		err = fmt.Errorf("%s: %w", where, err)
	}
	return []error{err}
}

// useDatabase hands the database of --dsn to the workloads that want one, in the environment, where
// it is no part of a name. One that nothing asks for is a mistake.
func (p plan) useDatabase(dsn string) error {
	if dsn == "" {
		return nil
	}
	for _, s := range p {
		for _, sc := range s.suite.Scenarios {
			if strings.Contains(sc.Workload.String(), "db=postgres") {
				return os.Setenv(sql.DSNVariable, dsn)
			}
		}
	}
	return errors.New("--dsn: no workload is sql_query:db=postgres")
}
