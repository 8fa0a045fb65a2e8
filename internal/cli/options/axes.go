package options

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// axis is one dimension of a scenario: a flag of `poolbench run` and the scenario file key of the
// same name.
type axis struct {
	name, doc string          // name and help of the flag
	short     string          // name of one letter, as in attack; "": none
	value     flags.Value     // parses the values of a matrix
	product   bool            // whether several values form a cross product
	excludes  []string        // other axes that set the same property
	names     func() []string // names for completion
}

type matrix struct {
	bench.Matrix
	count  int
	stages string // stages of each arrival process; "" leaves it unchanged
}

func axes() []axis { return axesOf(new(matrix)) }

// axesOf returns all axes in the order of the help. Their values are stored in m.
func axesOf(m *matrix) []axis {
	zero := bench.Scenario{}.Encode()
	return []axis{
		{name: "strategy", product: true, names: StrategiesOrAll,
			value: listOf(&m.Strategies, "NAME", parseStrategies),
			doc: "strategies to run; all selects one of several with equal results, every " +
				"selects all that need no disk and no server (default all)"},
		{name: "workload", product: true, names: WorkloadNames,
			value: listOf(&m.Workloads, "NAME", Variants(workloads.Resolve, WorkloadNames)),
			doc:   fmt.Sprintf("work of each task (default %s)", zero.Workload)},
		{name: "target", product: true, names: TargetNames,
			value: listOf(&m.Targets, "NAME", Variants(targets.Resolve, TargetNames)),
			doc:   fmt.Sprintf("service that tasks call (default %s)", zero.Target)},
		{name: "arrival", product: true, names: ArrivalNames,
			value: listOf(&m.Arrivals, "NAME", Variants(arrivals.Resolve, ArrivalNames)),
			doc:   fmt.Sprintf("arrival process of the tasks (default %s)", zero.Arrival)},
		{name: "limit", product: true,
			doc:   fmt.Sprintf("largest number of tasks in flight (default %d)", zero.Limit),
			value: listOf(&m.Limits, "K,K", positive(param.Ints))},
		{name: "queue", doc: QueueDoc,
			value: flags.Parsed(&m.Queue, "N", ParseQueue)},
		{name: "load", product: true, excludes: []string{"rate", "stages"},
			doc: fmt.Sprintf("arrival rate as a share of the capacity limit/E[S], 0.8 or 80%% (default %v)",
				zero.Load),
			value: listOf(&m.Loads, "X,X", positive(parseLoads))},
		{name: "rate", short: "r", product: true, excludes: []string{"load", "stages"},
			doc:   "arrival rate in tasks per second",
			value: listOf(&m.Rates, "X,X", positive(param.Floats))},
		{name: "stages", excludes: []string{"load", "rate", "n", "duration"},
			doc: "loads or rates one after another in each run, with results for each stage: " +
				"'load=0.6 for 20s, load=1.4 for 10s, load=0.6 for 60s'",
			value: flags.Parsed(&m.stages, "STAGES", parseStages)},
		{name: "timeout",
			doc: "timeout per attempt; the attempt then counts as failed, even if it ignores its " +
				"context and succeeds later, and in overruns (default: none)",
			value: flags.Parsed(&m.Timeout, "TIME", flags.PositiveTime)},
		{name: "patience",
			doc: "time after which the caller of a task gives up, from its due time, such as " +
				"300ms or exp(1s); these tasks count in gave-up (default: never)",
			value: flags.Parsed(&m.Patience, "LAW", dist.Parse)},
		{name: "drain", doc: "abandon tasks that are not done after this time from the last " +
			"submit (default: finish all)",
			value: flags.Parsed(&m.Drain, "TIME", flags.PositiveTime)},
		{name: "deadline",
			doc:   "goodput counts tasks with a response time up to this (default: none)",
			value: flags.Parsed(&m.Deadline, "TIME", flags.PositiveTime)},
		{name: "n", short: "n", excludes: []string{"duration", "stages"},
			doc: fmt.Sprintf("tasks in a run (default %d; more under the virtual clock if the "+
				"p99 needs them; with --rate under the real clock the tasks of %v, at least %d)",
				zero.Tasks, firstLook, firstTasks),
			value: flags.Parsed(&m.Stop.Tasks, "TASKS", flags.UpTo(maxTasks))},
		{name: "duration", short: "d", excludes: []string{"n", "stages"},
			doc:   "end a run after this time instead of a number of tasks",
			value: flags.Parsed(&m.Stop.Duration, "TIME", flags.PositiveTime)},
		{name: "warmup",
			doc:   fmt.Sprintf("share of the tasks at the start that do not count (default %v%%)", 100*zero.Warmup),
			value: flags.Parsed(&m.Stop.Warmup, "SHARE", param.Percent)},
		{name: "count", doc: "repetitions, interleaved across scenarios; 6 give an " +
			"interval, 10 a comparison (default 1)",
			value: flags.Parsed(&m.count, "N", flags.UpTo(MaxRuns))},
		{name: "seed",
			doc:   "seed of arrivals and task times; repetition i uses seed+i (default 1)",
			value: flags.Parsed(&m.Seed, "N", flags.ParseSeed)},
		{name: "clock",
			names: func() []string {
				return []string{bench.Real.String(), bench.Virtual.String()}
			},
			doc: "real, or virtual (simulated time): exact and reproducible, for workloads that " +
				"wait (default " +
				zero.Clock + ")",
			value: flags.Value{Kind: "CLOCK", Take: m.Clock.Set}},
		{name: ProfileFlag, names: ProfileKinds,
			doc:   ProfileDoc,
			value: flags.Parsed(&m.Profile, "KIND,KIND", machine.ParseProfiles)},
		{name: "flight",
			doc: "keep the last TIME of the runtime's trace, and write it when a response " +
				"exceeds the objective or the deadline, or without these three times the p99 so " +
				"far (real clock)",
			value: flags.Parsed(&m.Flight, "TIME", flags.PositiveTime)},
	}
}

// maxTasks limits --n for soaks. It fits into a 32-bit int.
const maxTasks = 2_000_000_000

// Distinct leaves out a strategy whose twin is selected, unless the work has the property by which
// the two differ. Every also selects the twins. Neither selects strategies that wait for a disk or
// a server, which must be named.
const (
	Distinct = "all"
	Every    = "every"
)

func StrategiesOrAll() []string { return append([]string{Distinct, Every}, StrategyNames()...) }

func parseStrategies(str string) ([]strategies.Variant, error) {
	switch str {
	case Distinct:
		return named(strategies.Distinct())
	case Every:
		return named(slices.DeleteFunc(strategies.All(), func(s strategies.Spec) bool {
			return s.RealClock
		}))
	}
	return Variants(strategies.Resolve, StrategyNames)(str)
}

func named(specs []strategies.Spec) ([]strategies.Variant, error) {
	return Variants(strategies.Resolve, StrategyNames)(strings.Join(text.Texts(specs, strategies.Spec.String), ","))
}

// chooseStrategies parses the values again when the work of the matrix is known, because Distinct
// depends on it.
func (m *matrix) chooseStrategies(given []Word) (all []strategies.Variant, complaints []error) {
	if given == nil {
		given = []Word{{Text: Distinct}}
	}
	for _, w := range given {
		more, err := parseStrategies(w.Text)
		if w.Text == Distinct {
			more, err = named(strategies.Distinct(m.causes()...))
		}
		all, complaints = append(all, more...), append(complaints, prefixed(w.Where, err))
	}
	return all, complaints
}

// causes returns the properties of the work by which strategies may differ from their twins.
func (m *matrix) causes() (all []strategies.Cause) {
	for _, v := range m.Targets {
		if v.Spec.Name != (bench.Scenario{}).Encode().Target {
			all = append(all, strategies.Calls)
		}
	}
	for _, v := range m.Workloads {
		if law, err := v.Spec.Weights(FirstSeed, v.Values); err == nil && law != nil {
			all = append(all, strategies.Weights)
		}
		if v.Spec.Kind != workloads.Wait {
			continue
		}
		w, err := v.Spec.Build(FirstSeed, v.Values)
		if err != nil {
			continue // the scenario reports the error
		}
		if _, ok := w.(workloads.Prioritised); ok {
			all = append(all, strategies.Priorities)
		}
		if _, ok := w.(workloads.Dated); ok {
			all = append(all, strategies.Deadlines)
		}
		if _, ok := w.(workloads.Tenanted); ok {
			all = append(all, strategies.Tenants)
		}
	}
	return all
}

func listOf[T any](to *[]T, kind string, parse func(text string) ([]T, error)) flags.Value {
	return flags.Value{Kind: kind, Take: func(text string) error {
		more, err := parse(text)
		*to = append(*to, more...)
		return err
	}}
}

// A name in another spelling, such as worker-pool, gets the suggestion that a wrong name gets.
func Variants[T any](
	resolve func(param.Call) (T, error), names func() []string,
) func(text string) ([]T, error) {
	return func(s string) (list []T, _ error) {
		calls, err := param.ParseList(s)
		if wrong, ok := errors.AsType[*param.NameError](err); ok {
			if like := text.Similar(wrong.Name, names()); like != "" {
				err = fmt.Errorf("unknown name %q (did you mean %s?)", wrong.Name, like)
			}
		}
		complaints := []error{err}
		for _, c := range calls {
			v, err := resolve(c)
			list, complaints = append(list, v), append(complaints, err)
		}
		return list, errors.Join(complaints...)
	}
}

// maxLoad is the largest load of a run. A larger one is a load in percent, or a rate.
const maxLoad = 20

// A load is a number such as 0.8, or a percentage such as 80%.
func parseLoads(list string) (loads []float64, err error) {
	for one := range strings.SplitSeq(list, ",") {
		number, percent := strings.CutSuffix(one, "%")
		if percent {
			number += "e-2"
		}
		x, err := dist.ParseFloat(number)
		if err != nil {
			return nil, fmt.Errorf("want a number such as 0.5, got %q", one)
		}
		if x > maxLoad && !percent {
			return nil, fmt.Errorf("%s is %s times the capacity: want at most %d; for %s %% write %s%%",
				one, one, maxLoad, one, one)
		}
		loads = append(loads, x)
	}
	return loads, nil
}

// In a scenario, 0 means the default.
func positive[T int | float64](
	list func(text string) ([]T, error),
) func(text string) ([]T, error) {
	return func(text string) ([]T, error) {
		values, err := list(text)
		for _, v := range values {
			if err == nil && v <= 0 {
				err = fmt.Errorf("want a number above 0, got %v", v)
			}
		}
		return values, err
	}
}

// MaxRuns limits the repetitions and the total number of runs, so results fit in memory.
const MaxRuns = 1_000_000

func axisNames() []string { return text.Texts(axes(), func(x axis) string { return x.name }) }

// AddAxes returns the words that the flags set, which are parsed after all flags.
func AddAxes(cmd *cobra.Command, without ...string) Words {
	given := Words{}
	for _, x := range axes() {
		if slices.Contains(without, x.name) {
			continue
		}
		cmd.Flags().VarP(flags.Value{Kind: x.value.Kind, Take: func(text string) error {
			if flags.Blank(text) {
				return flags.ErrEmpty
			}
			if !x.product {
				given[x.name] = nil // as for other flags, the last one counts
			}
			given[x.name] = append(given[x.name], Word{text, "--" + x.name})
			return nil
		}}, x.name, x.short, x.doc)
		if x.names != nil {
			flags.Complete(cmd, x.name, x.names)
		}
	}
	return given
}
