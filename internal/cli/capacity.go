package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/capacity"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/workloads"
)

// capacityOptions contains the flags of capacity that are not axes.
type capacityOptions struct {
	options.RunOptions
	find                   string
	file                   options.FlagFile
	loads, rates           searchRange
	limits, queues         searchRange
	resolution, confidence float64
	count                  int
	servers                *[]registry.Server
}

func (a *app) capacityCommand() *cobra.Command {
	var o capacityOptions
	var axes options.Words
	cmd := &cobra.Command{
		Use:   "capacity --objective 'METRIC<VALUE' [flags]",
		Short: "find the highest load or smallest limit that meets an objective",
		Args: func(cmd *cobra.Command, args []string) error {
			return o.file.ReadBefore(axes, flags.Operands())(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := o.search(axes)
			if err != nil {
				return err
			}
			return a.findCapacity(cmd.Context(), s, o.RunOptions)
		},
	}
	options.Objective(cmd, &o.Objectives,
		"objective to meet, such as p99-response<50ms; several with commas, or the flag again")
	fs := cmd.Flags()
	flags.Choice(cmd, &o.find, "find", "search for the highest load or rate, the smallest limit "+
		"at a --rate, or the longest queue of a strategy that sheds", "load", "limit", "queue")
	fs.Var(rangeOf(&o.loads, capacity.Load), "load-range",
		"search loads between these two, both included (default 0.1,1.2)")
	fs.Var(rangeOf(&o.rates, capacity.Rate), "rate-range",
		"search rates between these two instead, in tasks per second")
	fs.Var(rangeOf(&o.limits, capacity.Limit), "limit-range",
		"search limits between these two (default 1 to 8 times the offered work, at least 64)")
	fs.Var(rangeOf(&o.queues, capacity.Queue), "queue-range",
		"search queue lengths between these two (default 0,1024)")
	fs.Var(flags.Share(&o.resolution, false), "resolution",
		"end the search at an interval of this `SHARE` of the load (default 1%)")
	fs.Var(flags.Share(&o.confidence, false), "confidence",
		"probability that the interval contains the capacity, a `SHARE` of 50% or more (default "+
			"95%)")
	fs.Var(flags.AtLeastOne(&o.count, options.MaxRuns), "count",
		"most repetitions at a load (default 16)")
	axes = options.AddAxes(cmd, "count", "stages")
	o.servers = options.Servers(cmd)
	o.file.AddTo(cmd, "")
	o.AddOutputTo(cmd)
	o.AddJUnitTo(cmd)
	o.AddResumeTo(cmd)
	o.Crew.AddTo(cmd)
	o.Live.AddTo(cmd)
	flags.MarkCommon(cmd, "objective", "find", "load-range", "rate-range", "limit-range",
		"strategy", "workload", "target", "arrival", "limit", "queue", "load", "rate", "clock",
		"out")
	return cmd
}

// search returns the search that the flags describe. Scenarios are created at the lower end of the
// range, which validates them as run does.
func (o capacityOptions) search(axes options.Words) (capacity.Search, error) {
	s := capacity.Search{Objectives: o.Objectives, Resolution: o.resolution,
		Confidence: o.confidence, Runs: o.count}
	if len(o.Objectives) == 0 {
		return s, errors.New("capacity: want an objective, such as --objective 'p99-response<50ms'")
	}
	given, err := o.setAxis(&s, axes)
	if err != nil {
		return s, err
	}
	if _, err := o.Mode(); err != nil {
		return s, err
	}
	s.Lo, s.Hi = s.Over.Range(0)
	if given != (searchRange{}) {
		s.Lo, s.Hi = given.lo, given.hi
	}
	axis := s.Over.String()
	suite, err := s.Suite(func(value float64) (bench.Suite, error) {
		axes[axis] = []options.Word{{Text: fmt.Sprint(value), Where: "--" + axis + "-range"}}
		return axes.Suite("")
	})
	if err != nil {
		return s, err
	}
	if err := options.CheckServers(*o.servers,
		options.StrategiesOf(suite.Scenarios)...); err != nil {
		return s, err
	}
	s.Scenarios = suite.Scenarios
	if len(axes["strategy"]) == 0 {
		s.LeaveOut()
	}
	if given == (searchRange{}) {
		_, s.Hi = s.Over.Range(offeredWork(s.Scenarios))
	}
	return s, flags.Each(s.Validate(), func(err error) error {
		// the upper end of the range caused the error
		if given != (searchRange{}) && strings.HasPrefix(err.Error(), axis+" ") {
			return fmt.Errorf("--%s-range: %w", axis, err)
		}
		return err
	})
}

// setAxis sets the searched axis. It returns its given range, or the zero span.
func (o capacityOptions) setAxis(
	s *capacity.Search, axes options.Words,
) (given searchRange, err error) {
	ranges := map[capacity.Axis]searchRange{capacity.Load: o.loads, capacity.Rate: o.rates,
		capacity.Limit: o.limits, capacity.Queue: o.queues}
	switch {
	case o.find == "limit":
		s.Over = capacity.Limit
	case o.find == "queue":
		s.Over = capacity.Queue
	case o.loads != (searchRange{}) && o.rates != (searchRange{}):
		return given, errors.New("--load-range and --rate-range exclude each other")
	case o.rates != (searchRange{}):
		s.Over = capacity.Rate
	}
	given = ranges[s.Over]
	delete(ranges, s.Over)
	for axis, r := range ranges {
		if r != (searchRange{}) {
			how := fmt.Sprintf("give --%v-range", s.Over)
			if axis > capacity.Rate {
				how = fmt.Sprintf("--find %v searches the %v", axis, axis)
			}
			return given, fmt.Errorf("--%v-range: the search is for the %v: %s", axis, s.Over, how)
		}
	}
	for _, axis := range []string{"load", "rate", "limit", "queue"} {
		searched := axis == s.Over.String() ||
			s.Over <= capacity.Rate && (axis == "load" || axis == "rate")
		if len(axes[axis]) > 0 && searched {
			return given, fmt.Errorf("%s: the search is for this value: give its range, --%s-range",
				axes[axis][0].Where, axis)
		}
	}
	return given, nil
}

// offeredWork returns the largest offered work of a scenario, in busy slots.
func offeredWork(scenarios []bench.Scenario) (most float64) {
	for _, sc := range scenarios {
		load := workloads.MustParse(sc.Encode().Workload)
		if load.Spec.Kind != workloads.Wait {
			continue // CPU and I/O work has no known mean before it is measured
		}
		if w, err := load.Spec.Build(sc.Seed, load.Values); err == nil {
			most = max(most, sc.Load.PerSecond*w.Mean().Seconds())
		}
	}
	return most
}

const sayEvery = 5 * time.Second

func (a *app) findCapacity(ctx context.Context, s capacity.Search, o options.RunOptions) error {
	if o.DryRun {
		return show.ShowSearchPlan(a.Printer, s, o.Format)
	}
	e, err := execute.BeginSuite(a.Host, o, "capacity", "capacity")
	if err != nil {
		return err
	}
	defer e.Close()
	s.Continue(e.Dir)
	if err := e.Dir.Begin(s.Plan(), func(string, uint64) bool { return true }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	// The number of runs is unknown, so the progress is not that of the plan.
	e.Plan = options.Plan{{Suite: bench.Suite{Scenarios: s.Scenarios}}}
	ctx, done := terminal.Interruptible(ctx, e.Show.Println)
	defer done()
	var said time.Time
	s.Progress = func(searching int) {
		if searching == 0 || time.Since(said) >= sayEvery {
			said = time.Now()
			e.Show.Println(fmt.Sprintf("%d runs, search not finished for %d of %d scenarios", e.Done,
				searching, len(s.Scenarios)))
		}
	}
	s.Parallel = e.Runner.Parallel()
	s.Confirm = e.Runner.Run
	running, err := e.Runner.Begin(ctx, e.Show.Println)
	if err != nil {
		return errors.Join(err, e.Dir.End(s.MaxRuns(), err))
	}
	running = e.View.Begin(running, e.Show.Plan, nil)
	answers, stopped := s.Do(running, e.Dir.Missing(e.Runner.Run),
		func(sc bench.Scenario, r *bench.Result, err error) error {
			e.Show.Ran()
			id := execute.RunID{Name: sc.Name(), Seed: sc.Seed}
			return e.Add(execute.Record{ID: id}, r, err)
		})
	e.Runner.Close()
	f := &show.SearchResult{Search: s, Answers: answers, Execution: e}
	e.Finish(endSearch(ctx, f, stopped))
	shown := show.ShowSearch(f, o.Format)
	if !o.Quiet {
		a.Warn(options.OwnRates(e.Plan))
	}
	suite, codes := execute.TestSuite("capacity", e), e.Codes()
	for _, found := range f.Answers {
		c := execute.CapacityCase(f.Search.Over.String(), found.Scenario.Name(), found.Outcome(),
			found.Met, found.Missed, found.Err)
		c.Output = strings.TrimSpace(strings.Join(append(f.Evidence(found), c.Output), "\n"))
		suite.Add(c)
		codes = append(codes, outcomeCode(found.Outcome()))
	}
	return terminal.Ended(shown, append(codes, execute.PublishSuite(suite, o.JUnit, a.Printer))...)
}

// endSearch writes the answers into the directory and closes it. The error concerns the directory,
// or a run that cannot be stopped.
func endSearch(ctx context.Context, f *show.SearchResult, stopped error) error {
	f.SetCut(ctx)
	cut := stopped
	if f.Cut != nil && errors.Is(stopped, f.Cut) {
		stopped = nil
	}
	planned := f.Done + len(f.Failed)
	for _, a := range f.Answers {
		if stopped == nil && a.Err == nil && a.Runs() > 0 {
			planned++
			stopped = f.Dir.Write(f.Search.Result(a))
		}
	}
	if stopped == nil {
		stopped = f.SayRates()
	}
	if cut != nil {
		planned = f.Search.MaxRuns() + len(f.Answers)
	}
	return errors.Join(stopped, f.Dir.End(planned, cut))
}

// outcomeCode returns terminal.Fine if there is an answer.
func outcomeCode(o capacity.Outcome) terminal.ExitCode {
	return map[capacity.Outcome]terminal.ExitCode{capacity.Nowhere: terminal.Regression,
		capacity.Unknown: terminal.Undecided}[o]
}

type searchRange struct{ lo, hi float64 }

func rangeOf(to *searchRange, axis capacity.Axis) flags.Value {
	return flags.Parsed(to, "LO,HI", func(text string) (searchRange, error) {
		ends, err := param.Floats(text)
		if err != nil || len(ends) != 2 || !axis.Valid(ends[0], ends[1]) {
			return searchRange{}, fmt.Errorf("want two %s, the smaller first, got %q",
				axis.Numbers(), text)
		}
		return searchRange{ends[0], ends[1]}, nil
	})
}
