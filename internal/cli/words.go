package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// A word is one value as the user wrote it, and where: "--limit", or "scenarios.yaml:3:10: limit".
type word struct{ text, where string }

// words are a matrix as it was written: the values of each axis by its name.
type words map[string][]word

// firstSeed is that of the first repetition where no other is given.
const firstSeed = 1

// only reports whether the words speak of that axis and of nothing else.
func (w words) only(axis string) bool { return len(w) == 1 && w[axis] != nil }

// override lets flags replace what a file says: an axis given by a flag takes the place of the
// file's, and of the axis that excludes it.
func (w words) override(flags words) words {
	if len(flags) == 0 {
		return w
	}
	merged := words{}
	for _, x := range axes() {
		switch {
		case flags[x.name] != nil:
			merged[x.name] = flags[x.name]
		case flags[x.excludes] == nil && w[x.name] != nil:
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
		complaints = append(complaints, setStrategy(&m, everything))
	}
	if w["n"] == nil && w["duration"] == nil {
		m.Stop.Tasks = zero.Tasks
	}
	if err := errors.Join(complaints...); err != nil {
		return bench.Suite{}, err
	}
	scenarios, err := m.Scenarios()
	if err != nil {
		return bench.Suite{}, errors.Join(prefixed(where, err)...)
	}
	if w["n"] == nil && w["duration"] == nil {
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
