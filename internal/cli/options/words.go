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

// A Word is the text of a value and its position: "--limit", or "scenarios.yaml:3:10: limit".
type Word struct{ Text, Where string }

// Words is a matrix as text: the values of each axis by its name.
type Words map[string][]Word

const FirstSeed = 1

func (w Words) has(axis string) bool { return w[axis] != nil }

// isOpen reports whether length and number of runs are unset.
func (w Words) isOpen() bool {
	return !slices.ContainsFunc([]string{"n", "duration", "stages", "count"}, w.has)
}

// A flag replaces the file's values of its axis and of the axes that exclude it.
func (w Words) override(flags Words) Words {
	if len(flags) == 0 {
		return w
	}
	merged := Words{}
	for _, x := range axes() {
		switch {
		case flags[x.name] != nil:
			merged[x.name] = flags[x.name]
		case w[x.name] != nil && !slices.ContainsFunc(x.excludes, flags.has):
			merged[x.name] = w[x.name]
		}
	}
	return merged
}

// Suite prefixes errors that do not concern a single word by where.
func (w Words) Suite(where string) (bench.Suite, error) {
	zero := bench.Scenario{}.Encode()
	m := matrix{count: 1}
	m.Seed = FirstSeed
	m.Stop.Warmup = zero.Warmup
	var complaints []error
	for _, x := range axesOf(&m) {
		given := w[x.name]
		if len(given) > 1 && !x.product {
			complaints = append(complaints,
				fmt.Errorf("%s: accepts one value, got %d", given[1].Where, len(given)))
			continue
		}
		for _, v := range given {
			complaints = append(complaints, prefixed(v.Where, x.value.Take(v.Text)))
		}
	}
	if errors.Join(complaints...) == nil {
		m.Strategies, complaints = m.chooseStrategies(w["strategy"])
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
	if n := suite.Runs(); n > MaxRuns {
		return suite, prefixed(where,
			fmt.Errorf("count %d: that makes %d runs; want at most %d", m.count, n, MaxRuns))
	}
	return suite, nil
}

// lengthened returns suite with as many tasks per run as its plans need under the virtual clock,
// unless the words set the number.
func (w Words) lengthened(suite bench.Suite) bench.Suite {
	if w["n"] != nil || w["duration"] != nil || w["stages"] != nil {
		return suite
	}
	otherwise, n := bench.Scenario{}.Encode().Tasks, suite.EnoughTasks()
	for i := range suite.Scenarios {
		s := &suite.Scenarios[i]
		if s.Clock == bench.Virtual && s.Stop.Tasks == otherwise && s.Load.Arrival.Tasks() == 0 {
			s.Stop.Tasks = n
		}
	}
	return suite
}

// A real-clock run at a given rate without --n ends after firstLook, or when there are enough tasks
// for a p99.9, which needs 3688 tasks after the warm-up.
const (
	firstLook  = 20 * time.Second
	firstTasks = 4100
)

// tasksOf returns the default number of tasks, which is the same for all arrivals. For a trace it
// is the length of the trace.
func tasksOf(all []arrivals.Variant, otherwise int) (tasks int) {
	for _, a := range all {
		if n := a.Tasks(); n > 0 && (tasks == 0 || n < tasks) {
			tasks = n
		}
	}
	return cmp.Or(tasks, otherwise)
}

func tasksIn(s bench.Scenario) int {
	if s.Clock != bench.Real || s.Load.PerSecond == 0 {
		return s.Stop.Tasks
	}
	return min(s.Stop.Tasks, max(firstTasks, int(s.Load.PerSecond*firstLook.Seconds())))
}

func prefixed(where string, err error) error {
	if where == "" {
		return err
	}
	return flags.Each(err, func(err error) error { return fmt.Errorf("%s: %w", where, err) })
}
