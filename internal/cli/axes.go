package cli

import (
	"errors"
	"fmt"
	"slices"
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
	excludes    []string        // the axes that say the same thing otherwise
	names       func() []string // what completion offers
	set         func(m *matrix, text string) error
}

// A matrix is what the values of all axes come to.
type matrix struct {
	bench.Matrix
	count  int
	stages string // of each arrival process; "": as they are
}

// axes are all of them, in the order of the help. The defaults in their words are bench's own.
func axes() []axis {
	zero := bench.Scenario{}.Written()
	return []axis{
		{name: "strategy", value: "NAME", many: true, names: strategiesOrAll,
			set: listOf(func(m *matrix) *[]strategies.Variant { return &m.Strategies },
				parseStrategies),
			doc: "strategies that bound the tasks; all for every one that needs no disk and no server " +
				"(default all)"},
		{name: "workload", value: "NAME", many: true, names: workloadNames,
			set: listOf(func(m *matrix) *[]workloads.Variant { return &m.Workloads },
				variants(workloads.Resolve)),
			doc: fmt.Sprintf("what a task costs (default %s)", zero.Workload)},
		{name: "target", value: "NAME", many: true, names: targetNames,
			set: listOf(func(m *matrix) *[]targets.Variant { return &m.Targets },
				variants(targets.Resolve)),
			doc: fmt.Sprintf("what a task calls (default %s)", zero.Target)},
		{name: "arrival", value: "NAME", many: true, names: arrivalNames,
			set: listOf(func(m *matrix) *[]arrivals.Variant { return &m.Arrivals },
				variants(arrivals.Resolve)),
			doc: fmt.Sprintf("when tasks are due (default %s)", zero.Arrival)},
		{name: "limit", value: "K,K", many: true,
			doc: fmt.Sprintf("most tasks in flight (default %d)", zero.Limit),
			set: listOf(func(m *matrix) *[]int { return &m.Limits }, positive(param.Ints))},
		{name: "queue", value: "N", doc: queueDoc,
			set: one(func(m *matrix) *int { return &m.Queue }, parseQueue)},
		{name: "load", value: "X,X", many: true, excludes: []string{"rate", "stages"},
			doc: fmt.Sprintf("arrival rate as a share of the capacity limit/E[S] (default %v)",
				zero.Load),
			set: listOf(func(m *matrix) *[]float64 { return &m.Loads }, positive(param.Floats))},
		{name: "rate", value: "X,X", many: true, excludes: []string{"load", "stages"},
			doc: "arrival rate in tasks per second",
			set: listOf(func(m *matrix) *[]float64 { return &m.Rates }, positive(param.Floats))},
		{name: "stages", value: "STAGES", excludes: []string{"load", "rate", "n", "duration"},
			doc: "loads (or rates) one after the other in each run, with results of each: " +
				"'load=0.6 for 20s, load=1.4 for 10s, load=0.6 for 60s'",
			set: one(func(m *matrix) *string { return &m.stages }, parseStages)},
		{name: "timeout", value: "TIME",
			doc: "timeout per attempt; the task then counts as failed (default: none)",
			set: one(func(m *matrix) *time.Duration { return &m.Timeout }, positiveTime)},
		{name: "drain", value: "TIME", doc: "abandon tasks not done this long after the last " +
			"task was submitted (default: finish all)",
			set: one(func(m *matrix) *time.Duration { return &m.Drain }, positiveTime)},
		{name: "deadline", value: "TIME",
			doc: "goodput counts tasks whose response is within it (default: none)",
			set: one(func(m *matrix) *time.Duration { return &m.Deadline }, positiveTime)},
		{name: "n", value: "TASKS", excludes: []string{"duration", "stages"},
			doc: fmt.Sprintf("tasks in a run (default %d; at a --rate under the real clock %v "+
				"of them, %d at least)", zero.Tasks, firstLook, firstTasks),
			set: one(func(m *matrix) *int { return &m.Stop.Tasks }, upTo(mostTasks))},
		{name: "duration", value: "TIME", excludes: []string{"n", "stages"},
			doc: "end a run after this time instead of a number of tasks",
			set: one(func(m *matrix) *time.Duration { return &m.Stop.Duration }, positiveTime)},
		{name: "warmup", value: "SHARE",
			doc: fmt.Sprintf("share of the tasks, the first ones, that run but do not count "+
				"(default %v%%)", 100*zero.Warmup),
			set: one(func(m *matrix) *float64 { return &m.Stop.Warmup }, param.Percent)},
		{name: "count", value: "N", doc: "repetitions, interleaved across scenarios; 6 give an " +
			"interval, 10 a comparison (default 1)",
			set: one(func(m *matrix) *int { return &m.count }, upTo(mostRuns))},
		{name: "seed", value: "N",
			doc: "seed of arrivals and task times; repetition i uses seed+i (default 1)",
			set: one(func(m *matrix) *uint64 { return &m.Seed }, parseSeed)},
		{name: "clock", value: "CLOCK",
			names: func() []string {
				return []string{bench.Real.String(), bench.Virtual.String()}
			},
			doc: "real, or virtual: exact and repeatable, for workloads that wait (default " +
				zero.Clock + ")",
			set: one(func(m *matrix) *bench.Clock { return &m.Clock }, bench.ParseClock)},
	}
}

// mostTasks is how many -n takes: of a soak, since other runs end at arrivals.MaxTasks. It fits an
// int of 32 bits.
const mostTasks = 2_000_000_000

// everything stands for all strategies but those that wait for a disk or a server: these measure
// that, and are named.
const everything = "all"

func strategiesOrAll() []string { return append([]string{everything}, strategyNames()...) }

// parseStrategies reads a comma list of strategies, or the word for all of them.
func parseStrategies(text string) ([]strategies.Variant, error) {
	if text == everything {
		inProcess := slices.DeleteFunc(strategies.All(), func(s strategies.Spec) bool {
			return s.RealClock
		})
		text = strings.Join(names(inProcess, func(s strategies.Spec) string {
			return s.Name
		}), ",")
	}
	return variants(strategies.Resolve)(text)
}

// one keeps what parse makes of the text in a field of the matrix.
func one[T any](
	field func(*matrix) *T, parse func(text string) (T, error),
) func(*matrix, string) error {
	return func(m *matrix, text string) (err error) {
		*field(m), err = parse(text)
		return err
	}
}

// listOf adds what parse makes of the text to a field of the matrix.
func listOf[T any](
	field func(*matrix) *[]T, parse func(text string) ([]T, error),
) func(*matrix, string) error {
	return func(m *matrix, text string) error {
		more, err := parse(text)
		*field(m) = append(*field(m), more...)
		return err
	}
}

// variants reads a comma list of variants; the error joins what is wrong with each.
func variants[T any](resolve func(param.Call) (T, error)) func(text string) ([]T, error) {
	return func(text string) (list []T, _ error) {
		calls, err := param.ParseList(text)
		complaints := []error{err}
		for _, c := range calls {
			v, err := resolve(c)
			list, complaints = append(list, v), append(complaints, err)
		}
		return list, errors.Join(complaints...)
	}
}

// positive reads a comma list of numbers above 0. A zero must not pass: in a scenario it stands for
// the default.
func positive[T int | float64](
	list func(text string) ([]T, error),
) func(text string) ([]T, error) {
	return func(text string) ([]T, error) {
		values, err := list(text)
		for _, v := range values {
			if err == nil && v <= 0 {
				err = fmt.Errorf("want more than 0, got %v", v)
			}
		}
		return values, err
	}
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

// upTo reads a number from 1: a zero would stand for the default.
func upTo(most int) func(text string) (int, error) {
	return func(text string) (int, error) { return whole(1, most, text) }
}

// positiveTime reads a time above 0, which stands for none.
func positiveTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > arrivals.MaxSpan {
		return 0, fmt.Errorf("want a duration above 0, at most 87600h, such as 50ms or 2s, got %q",
			text)
	}
	return d, nil
}

func parseSeed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		err = fmt.Errorf("want a whole number from 0 to 2^64-1, got %q", text)
	}
	return n, err
}

func axisNames() []string { return names(axes(), func(x axis) string { return x.name }) }
