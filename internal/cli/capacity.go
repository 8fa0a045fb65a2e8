package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/capacity"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/reports/page"
)

// capacityOptions are the flags of capacity that are not axes.
type capacityOptions struct {
	runOptions
	loads, rates           span
	resolution, confidence float64
	count                  int
}

func (a *app) capacityCommand() *cobra.Command {
	o := capacityOptions{loads: span{lo: 0.1, hi: 1.2}}
	cmd := &cobra.Command{
		Use:                   "capacity --objective 'METRIC<VALUE' [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "find the highest load that meets an objective",
		Args:                  operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := o.search(axisWords(cmd), cmd.Flags().Changed("load-range"))
			if err != nil {
				return err
			}
			return a.findCapacity(cmd.Context(), s, o.runOptions)
		},
	}
	objectiveVar(cmd, &o.objectives,
		"what is to be met, such as p99-response<50ms; several with commas, or the flag again")
	fs := cmd.Flags()
	fs.Var(&o.loads, "load-range", "search these loads, both ends tried (default 0.1,1.2)")
	fs.Var(&o.rates, "rate-range", "search these rates instead, in tasks per second")
	fs.Var(&fraction{value: &o.resolution}, "resolution",
		"stop at gaps of this `SHARE` of the load (default 1%)")
	fs.Var(&fraction{value: &o.confidence}, "confidence",
		"probability that the interval holds the capacity, a `SHARE` from 50% up (default 95%)")
	fs.Var(atLeastOne{&o.count, mostRuns}, "count", "most repetitions at a load (default 16)")
	addAxes(cmd, "load", "rate", "count")
	o.addOutputTo(cmd)
	o.addResumeTo(cmd)
	return cmd
}

// search is what the flags come to. The scenarios are made at the lower end of the range, which
// puts them to every test that run does.
func (o capacityOptions) search(flags words, loadsGiven bool) (capacity.Search, error) {
	s := capacity.Search{Objectives: o.objectives, Lo: o.loads.lo, Hi: o.loads.hi,
		Resolution: o.resolution, Confidence: o.confidence, Runs: o.count}
	if len(o.objectives) == 0 {
		return s, errors.New("capacity: --objective is missing, such as --objective " +
			"'p99-response<50ms'")
	}
	axis := "load"
	if o.rates != (span{}) {
		if loadsGiven {
			return s, errors.New("--load-range and --rate-range exclude each other")
		}
		axis, s.Rates, s.Lo, s.Hi = "rate", true, o.rates.lo, o.rates.hi
	}
	if _, err := o.mode(); err != nil {
		return s, err
	}
	flags[axis] = []word{{text: fmt.Sprint(s.Lo), where: "--" + axis + "-range"}}
	suite, err := flags.suite("")
	if err != nil {
		return s, err
	}
	s.Scenarios = suite.Scenarios
	return s, s.Validate()
}

// sayEvery is the time between two lines of progress.
const sayEvery = 5 * time.Second

// findCapacity is `poolbench capacity`.
func (a *app) findCapacity(ctx context.Context, s capacity.Search, o runOptions) error {
	if o.dryRun {
		return a.showSearch(s, o.format)
	}
	dir, err := a.openDir(o)
	if err != nil {
		return err
	}
	defer a.unlock(dir)
	s.GoOn(dir)
	if err := dir.Begin(s.Plan(), func(string, uint64) bool { return true }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	e := &execution{plan: plan{{}}, path: dir.Path()}
	// how many runs there will be nobody knows, so there is no bar
	show := &progress{to: a.stderr, quiet: o.quiet}
	ctx, done := interruptible(ctx, show.say)
	defer done()
	var said time.Time
	s.Progress = func(searching int) {
		if searching == 0 || time.Since(said) >= sayEvery {
			said = time.Now()
			show.say(fmt.Sprintf("%d runs, %d of %d scenarios still searched", len(e.records),
				searching, len(s.Scenarios)))
		}
	}
	runner := a.runner(o.limit)
	defer runner.close()
	answers, stopped := s.Do(ctx, dir.Missing(runner.run),
		func(sc bench.Scenario, r *bench.Result, err error) error {
			return a.take(e, 0, dir, show, sc, r, err)
		})
	f := &searched{search: s, answers: answers, execution: e}
	writing := f.close(ctx, dir, stopped)
	if writing == nil && len(e.records) > 0 {
		writing = page.Write(e.path)
	}
	if writing != nil {
		a.complain(writing)
	}
	if err := a.showFinding(f, o.format, writing == nil); err != nil && !errors.Is(err, errStdout) {
		// stdout keeps its own error
		return err
	}
	return f.exitCode(writing)
}

// searched is what has become of a search.
type searched struct {
	*execution
	search  capacity.Search
	answers []capacity.Answer
}

// close writes the answers down beside the runs and closes the directory. The error is about the
// directory, or about a run that cannot be ended.
func (f *searched) close(ctx context.Context, dir *bench.Dir, stopped error) error {
	if ctx.Err() != nil {
		f.cut = context.Cause(ctx)
	}
	cut := stopped
	if f.cut != nil && errors.Is(stopped, f.cut) {
		stopped = nil
	}
	planned := len(f.records) + len(f.failed)
	for _, a := range f.answers {
		if stopped == nil && a.Err == nil && a.Runs() > 0 {
			planned++
			stopped = dir.Write(f.search.Result(a))
		}
	}
	if cut != nil {
		planned = f.search.MostRuns() + len(f.answers)
	}
	return errors.Join(stopped, dir.End(planned, cut))
}

// exitCode is nil for fine.
func (f *searched) exitCode(writing error) error {
	codes := []int{fine}
	for _, a := range f.answers {
		switch a.Outcome() {
		case capacity.Nowhere:
			codes = append(codes, regression)
		case capacity.Unknown:
			codes = append(codes, undecided)
		}
	}
	var said exitCode
	if errors.As(f.execution.exitCode(writing), &said) {
		codes = append(codes, int(said))
	}
	return ended(codes)
}

// A span is the pflag.Value of a range: LO,HI.
type span struct{ lo, hi float64 }

func (s *span) Type() string { return "LO,HI" }

func (s *span) String() string { return "" } // the default is in the words of the flag

func (s *span) Set(text string) error {
	ends, err := param.Floats(text)
	if err != nil || len(ends) != 2 || !(ends[0] > 0 && ends[0] < ends[1]) {
		return fmt.Errorf("want two numbers above 0 such as 0.1,1.2, the smaller first, got %q",
			text)
	}
	s.lo, s.hi = ends[0], ends[1]
	return nil
}
