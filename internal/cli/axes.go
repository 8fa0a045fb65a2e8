package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// An axis is one thing that a scenario is made of: a flag of `poolbench run`, and a key of a
// scenario file under the same name.
type axis struct {
	name, value string // the flag, and what its argument is called in the help
	doc         string
	many        bool            // several values make a cross product
	excludes    string          // the axis that says the same thing otherwise
	names       func() []string // what completion offers
	set         func(m *matrix, text string) error
}

// A matrix is what the values of all axes come to.
type matrix struct {
	bench.Matrix
	count int
}

// axes are all of them, in the order of the help. The defaults in their words are bench's own.
func axes() []axis {
	zero := bench.Scenario{}.Written()
	return []axis{
		{name: "strategy", value: "NAME", many: true, names: allAnd(strategyNames()),
			set: setStrategy,
			doc: "strategies that bound the tasks; all for every one (default all)"},
		{name: "workload", value: "NAME", many: true, names: all(workloadNames()), set: setWorkload,
			doc: fmt.Sprintf("what a task costs (default %s)", zero.Workload)},
		{name: "target", value: "NAME", many: true, names: all(targetNames()), set: setTarget,
			doc: fmt.Sprintf("what a task calls (default %s)", zero.Target)},
		{name: "arrival", value: "NAME", many: true, names: all(arrivalNames()), set: setArrival,
			doc: fmt.Sprintf("when tasks are due (default %s)", zero.Arrival)},
		{name: "limit", value: "K,K", many: true,
			doc: fmt.Sprintf("most tasks in flight (default %d)", zero.Limit),
			set: func(m *matrix, text string) error {
				return appendPositive(&m.Limits, text, param.Ints)
			}},
		{name: "queue", value: "N", doc: queueDoc,
			set: func(m *matrix, text string) error { return (*queueSlots)(&m.Queue).Set(text) }},
		{name: "load", value: "X,X", many: true, excludes: "rate",
			doc: fmt.Sprintf("arrival rate as a share of the capacity limit/E[S] (default %v)",
				zero.Load),
			set: func(m *matrix, text string) error {
				return appendPositive(&m.Loads, text, param.Floats)
			}},
		{name: "rate", value: "X,X", many: true, excludes: "load",
			doc: "arrival rate in tasks per second",
			set: func(m *matrix, text string) error {
				return appendPositive(&m.Rates, text, param.Floats)
			}},
		{name: "timeout", value: "TIME",
			doc: "timeout per attempt; the task then counts as failed (default: none)",
			set: func(m *matrix, text string) (err error) {
				m.Timeout, err = positiveTime(text)
				return err
			}},
		{name: "drain", value: "TIME", doc: "abandon tasks not done this long after the last " +
			"task was submitted (default: finish all)",
			set: func(m *matrix, text string) (err error) {
				m.Drain, err = positiveTime(text)
				return err
			}},
		{name: "deadline", value: "TIME",
			doc: "goodput counts tasks whose response is within it (default: none)",
			set: func(m *matrix, text string) (err error) {
				m.Deadline, err = positiveTime(text)
				return err
			}},
		{name: "n", value: "TASKS", excludes: "duration",
			doc: fmt.Sprintf("tasks in a run (default %d; at a --rate under the real clock %v "+
				"of them, %d at least)", zero.Tasks, firstLook, firstTasks),
			set: func(m *matrix, text string) (err error) {
				m.Stop.Tasks, err = whole(1, arrivals.MaxTasks, text)
				return err
			}},
		{name: "duration", value: "TIME", excludes: "n",
			doc: "end a run after this time instead of a number of tasks",
			set: func(m *matrix, text string) (err error) {
				m.Stop.Duration, err = positiveTime(text)
				return err
			}},
		{name: "warmup", value: "SHARE",
			doc: fmt.Sprintf("share of the tasks, the first ones, that run but do not count "+
				"(default %v%%)", 100*zero.Warmup),
			set: func(m *matrix, text string) (err error) {
				m.Stop.Warmup, err = param.Percent(text)
				return err
			}},
		{name: "count", value: "N", doc: "repetitions, interleaved across scenarios; 6 give an " +
			"interval, 10 a comparison (default 1)",
			set: func(m *matrix, text string) (err error) {
				m.count, err = whole(1, mostRuns, text)
				return err
			}},
		{name: "seed", value: "N",
			doc: "seed of arrivals and task times; repetition i uses seed+i (default 1)",
			set: setSeed},
		{name: "clock", value: "CLOCK",
			names: all([]string{bench.Real.String(), bench.Virtual.String()}),
			doc: "real, or virtual: exact and repeatable, for workloads that wait (default " +
				zero.Clock + ")",
			set: func(m *matrix, text string) (err error) {
				m.Clock, err = bench.ParseClock(text)
				return err
			}},
	}
}

func all(names []string) func() []string    { return func() []string { return names } }
func allAnd(names []string) func() []string { return all(append([]string{everything}, names...)) }

// everything stands for all strategies.
const everything = "all"

func setStrategy(m *matrix, text string) error {
	if text == everything {
		for _, spec := range strategies.All() {
			v, err := strategies.Resolve(param.Call{Name: spec.Name})
			if err != nil {
				return err
			}
			m.Strategies = append(m.Strategies, v)
		}
		return nil
	}
	return appendVariants(&m.Strategies, text, strategies.Resolve)
}

func setWorkload(m *matrix, text string) error {
	return appendVariants(&m.Workloads, text, workloads.Resolve)
}

func setTarget(m *matrix, text string) error {
	return appendVariants(&m.Targets, text, targets.Resolve)
}

func setArrival(m *matrix, text string) error {
	return appendVariants(&m.Arrivals, text, arrivals.Resolve)
}

// appendVariants reads a comma list of variants.
func appendVariants[T any](to *[]T, text string, variant func(param.Call) (T, error)) error {
	calls, err := param.ParseList(text)
	if err != nil {
		return err
	}
	var complaints []error
	for _, c := range calls {
		v, err := variant(c)
		if err != nil {
			complaints = append(complaints, err)
			continue
		}
		*to = append(*to, v)
	}
	return errors.Join(complaints...)
}

// appendPositive reads a comma list of numbers above 0. A zero must not pass: in a scenario it
// stands for the default.
func appendPositive[T int | float64](to *[]T, text string, list func(string) ([]T, error)) error {
	values, err := list(text)
	if err != nil {
		return err
	}
	for _, v := range values {
		if v <= 0 {
			return fmt.Errorf("want more than 0, got %v", v)
		}
	}
	*to = append(*to, values...)
	return nil
}

// mostRuns bounds the repetitions, and the runs of all scenarios together: what is kept of each,
// and told of it, fits into memory.
const mostRuns = 1_000_000

func whole(least, most int, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("want a whole number from %d to %d, got %q", least, most, text)
	}
	return n, nil
}

func positiveTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > arrivals.MaxSpan {
		return 0, fmt.Errorf("want a duration above 0, at most 87600h, such as 50ms or 2s, got %q",
			text)
	}
	return d, nil
}

func setSeed(m *matrix, text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("want a whole number from 0 to 2^64-1, got %q", text)
	}
	m.Seed = n
	return nil
}

// axisNames lists the axes for messages.
func axisNames() string {
	var names []string
	for _, x := range axes() {
		names = append(names, x.name)
	}
	return strings.Join(names, ", ")
}
