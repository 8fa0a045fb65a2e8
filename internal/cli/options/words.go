package options

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/cli/flags"
)

// A Word is one value as the user wrote it, and where: "--limit", or "scenarios.yaml:3:10: limit".
type Word struct{ Text, Where string }

// Words are a matrix as it was written: the values of each axis by its name.
type Words map[string][]Word

// FirstSeed is that of the first repetition where no other is given.
const FirstSeed = 1

// have reports whether the words speak of that axis.
func (w Words) have(axis string) bool { return w[axis] != nil }

// isOpen reports whether the words leave the length and the number of runs open.
func (w Words) isOpen() bool {
	return !slices.ContainsFunc([]string{"n", "duration", "stages", "count"}, w.have)
}

// override lets flags replace what a file says: an axis given by a flag takes the place of the
// file's, and of those that exclude it.
func (w Words) override(flags Words) Words {
	if len(flags) == 0 {
		return w
	}
	merged := Words{}
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

// Suite reads the words. The error joins all complaints; where stands before those that are about
// no single word.
func (w Words) Suite(where string) (bench.Suite, error) {
	zero := bench.Scenario{}.Written()
	m := matrix{count: 1}
	m.Seed = FirstSeed
	m.Stop.Warmup = zero.Warmup
	var complaints []error
	for _, x := range axesOf(&m) {
		given := w[x.name]
		if len(given) > 1 && !x.many {
			complaints = append(complaints,
				fmt.Errorf("%s: takes one value, got %d", given[1].Where, len(given)))
			continue
		}
		for _, v := range given {
			complaints = append(complaints, prefixed(v.Where, x.value.Take(v.Text)))
		}
	}
	if w["strategy"] == nil {
		every, err := parseStrategies(Everything)
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
		return bench.Suite{}, prefixed(where, err)
	}
	if w["n"] == nil && w["duration"] == nil && w["stages"] == nil {
		for i := range scenarios {
			scenarios[i].Stop.Tasks = tasksIn(scenarios[i])
		}
	}
	suite := bench.Suite{Scenarios: scenarios, Count: m.count}
	if n := suite.Runs(); n > MostRuns {
		return suite, prefixed(where,
			fmt.Errorf("count %d: these are %d runs; want at most %d", m.count, n, MostRuns))
	}
	return suite, nil
}

// lengthened returns the suite of Suite with as many tasks in each run as its plans need under the
// virtual clock, unless the words say how many.
func (w Words) lengthened(suite bench.Suite) bench.Suite {
	if w["n"] != nil || w["duration"] != nil || w["stages"] != nil {
		return suite
	}
	otherwise, n := bench.Scenario{}.Written().Tasks, suite.EnoughTasks()
	for i := range suite.Scenarios {
		s := &suite.Scenarios[i]
		if s.Clock == bench.Virtual && s.Stop.Tasks == otherwise && s.Load.Arrival.Tasks() == 0 {
			s.Stop.Tasks = n
		}
	}
	return suite
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
func prefixed(where string, err error) error {
	if where == "" {
		return err
	}
	return flags.Each(err, func(err error) error { return fmt.Errorf("%s: %w", where, err) })
}
