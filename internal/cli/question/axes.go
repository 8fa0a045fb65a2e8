package question

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/cli/catalog"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/machine/profiles"
	"github.com/poolbench/poolbench/internal/text/prose"
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
		{name: "strategy", value: "NAME", many: true, names: StrategiesOrAll,
			set: listOf(func(m *matrix) *[]strategies.Variant { return &m.Strategies },
				parseStrategies),
			doc: "strategies that bound the tasks; all for every one that needs no disk and no server " +
				"(default all)"},
		{name: "workload", value: "NAME", many: true, names: catalog.WorkloadNames,
			set: listOf(func(m *matrix) *[]workloads.Variant { return &m.Workloads },
				Variants(workloads.Resolve)),
			doc: fmt.Sprintf("what a task costs (default %s)", zero.Workload)},
		{name: "target", value: "NAME", many: true, names: catalog.TargetNames,
			set: listOf(func(m *matrix) *[]targets.Variant { return &m.Targets },
				Variants(targets.Resolve)),
			doc: fmt.Sprintf("what a task calls (default %s)", zero.Target)},
		{name: "arrival", value: "NAME", many: true, names: catalog.ArrivalNames,
			set: listOf(func(m *matrix) *[]arrivals.Variant { return &m.Arrivals },
				Variants(arrivals.Resolve)),
			doc: fmt.Sprintf("when tasks are due (default %s)", zero.Arrival)},
		{name: "limit", value: "K,K", many: true,
			doc: fmt.Sprintf("most tasks in flight (default %d)", zero.Limit),
			set: listOf(func(m *matrix) *[]int { return &m.Limits }, positive(param.Ints))},
		{name: "queue", value: "N", doc: flags.QueueDoc,
			set: one(func(m *matrix) *int { return &m.Queue }, flags.ParseQueue)},
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
			set: one(func(m *matrix) *time.Duration { return &m.Timeout }, flags.PositiveTime)},
		{name: "drain", value: "TIME", doc: "abandon tasks not done this long after the last " +
			"task was submitted (default: finish all)",
			set: one(func(m *matrix) *time.Duration { return &m.Drain }, flags.PositiveTime)},
		{name: "deadline", value: "TIME",
			doc: "goodput counts tasks whose response is within it (default: none)",
			set: one(func(m *matrix) *time.Duration { return &m.Deadline }, flags.PositiveTime)},
		{name: "n", value: "TASKS", excludes: []string{"duration", "stages"},
			doc: fmt.Sprintf("tasks in a run (default %d; at a --rate under the real clock %v "+
				"of them, %d at least)", zero.Tasks, firstLook, firstTasks),
			set: one(func(m *matrix) *int { return &m.Stop.Tasks }, flags.UpTo(mostTasks))},
		{name: "duration", value: "TIME", excludes: []string{"n", "stages"},
			doc: "end a run after this time instead of a number of tasks",
			set: one(func(m *matrix) *time.Duration { return &m.Stop.Duration },
				flags.PositiveTime)},
		{name: "warmup", value: "SHARE",
			doc: fmt.Sprintf("share of the tasks, the first ones, that run but do not count "+
				"(default %v%%)", 100*zero.Warmup),
			set: one(func(m *matrix) *float64 { return &m.Stop.Warmup }, param.Percent)},
		{name: "count", value: "N", doc: "repetitions, interleaved across scenarios; 6 give an " +
			"interval, 10 a comparison (default 1)",
			set: one(func(m *matrix) *int { return &m.count }, flags.UpTo(MostRuns))},
		{name: "seed", value: "N",
			doc: "seed of arrivals and task times; repetition i uses seed+i (default 1)",
			set: one(func(m *matrix) *uint64 { return &m.Seed }, flags.ParseSeed)},
		{name: "clock", value: "CLOCK",
			names: func() []string {
				return []string{bench.Real.String(), bench.Virtual.String()}
			},
			doc: "real, or virtual: exact and repeatable, for workloads that wait (default " +
				zero.Clock + ")",
			set: one(func(m *matrix) *bench.Clock { return &m.Clock }, bench.ParseClock)},
		{name: flags.ProfileFlag, value: "KIND,KIND", names: flags.ProfileKinds,
			doc: flags.ProfileDoc,
			set: one(func(m *matrix) *string { return &m.Profile }, profiles.Parse)},
		{name: "flight", value: "TIME",
			doc: "keep the last TIME of the runtime's trace, and write it when a task exceeds " +
				"the objective, the deadline or else three times the p99 so far (real clock)",
			set: one(func(m *matrix) *time.Duration { return &m.Flight }, flags.PositiveTime)},
	}
}

// mostTasks is how many -n takes: of a soak, since other runs end at arrivals.MaxTasks. It fits an
// int of 32 bits.
const mostTasks = 2_000_000_000

// Everything stands for all strategies but those that wait for a disk or a server: these measure
// that, and are named.
const Everything = "all"

// StrategiesOrAll is what --strategy takes, for completion.
func StrategiesOrAll() []string { return append([]string{Everything}, catalog.StrategyNames()...) }

// parseStrategies reads a comma list of strategies, or the word for all of them.
func parseStrategies(text string) ([]strategies.Variant, error) {
	if text == Everything {
		inProcess := slices.DeleteFunc(strategies.All(), func(s strategies.Spec) bool {
			return s.RealClock
		})
		text = strings.Join(prose.Texts(inProcess, strategies.Spec.String), ",")
	}
	return Variants(strategies.Resolve)(text)
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

// Variants reads a comma list of variants; the error joins what is wrong with each.
func Variants[T any](resolve func(param.Call) (T, error)) func(text string) ([]T, error) {
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

// MostRuns bounds the repetitions, and the runs of all scenarios together: what is kept of each,
// and told of it, fits into memory.
const MostRuns = 1_000_000

func axisNames() []string { return prose.Texts(axes(), func(x axis) string { return x.name }) }

// AddAxes declares a flag for each axis but those, and returns the words that they will be given,
// which are read once all flags are known.
func AddAxes(cmd *cobra.Command, without ...string) Words {
	given := Words{}
	for _, x := range axes() {
		if slices.Contains(without, x.name) {
			continue
		}
		cmd.Flags().Var(flags.Value{Kind: x.value, Take: func(text string) error {
			if flags.Blank(text) {
				return flags.ErrEmpty
			}
			if !x.many {
				given[x.name] = nil // as elsewhere, the last one counts
			}
			given[x.name] = append(given[x.name], Word{text, "--" + x.name})
			return nil
		}}, x.name, x.doc)
		if x.names != nil {
			flags.Complete(cmd, x.name, x.names)
		}
	}
	return given
}
