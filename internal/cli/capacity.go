package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/capacity"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/jsondoc"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/workloads"
)

// capacityOptions are the flags of capacity that are not axes.
type capacityOptions struct {
	runOptions
	find                   string
	file                   flagFile
	loads, rates           span
	limits, queues         span
	resolution, confidence float64
	count                  int
}

func (a *app) capacityCommand() *cobra.Command {
	var o capacityOptions
	var flags words
	cmd := &cobra.Command{
		Use:   "capacity --objective 'METRIC<VALUE' [flags]",
		Short: "find the highest load or smallest limit that meets an objective",
		Args: func(cmd *cobra.Command, args []string) error {
			return o.file.before(flags, operands())(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := o.search(flags)
			if err != nil {
				return err
			}
			return a.findCapacity(cmd.Context(), s, o.runOptions)
		},
	}
	objectiveVar(cmd, &o.objectives,
		"what is to be met, such as p99-response<50ms; several with commas, or the flag again")
	fs := cmd.Flags()
	choiceFlag(cmd, &o.find, "find", "search the highest load or rate, the smallest limit at a "+
		"--rate, or the longest queue of a strategy that sheds", "load", "limit", "queue")
	fs.Var(parsed(&o.loads, "LO,HI", parseSpan), "load-range",
		"search these loads, both ends tried (default 0.1,1.2)")
	fs.Var(parsed(&o.rates, "LO,HI", parseSpan), "rate-range",
		"search these rates instead, in tasks per second")
	fs.Var(parsed(&o.limits, "LO,HI", parseSpan), "limit-range",
		"search these limits (default 1 to 8 times the offered work, at least 64)")
	fs.Var(parsed(&o.queues, "LO,HI", parseQueues), "queue-range",
		"search these lengths of the queue (default 0,1024)")
	fs.Var(shareFlag(&o.resolution, false), "resolution",
		"stop at gaps of this `SHARE` of the load (default 1%)")
	fs.Var(shareFlag(&o.confidence, false), "confidence",
		"probability that the interval holds the capacity, a `SHARE` from 50% up (default 95%)")
	fs.Var(atLeastOne(&o.count, mostRuns), "count", "most repetitions at a load (default 16)")
	flags = addAxes(cmd, "count", "stages")
	addServers(cmd)
	o.file.addTo(cmd, "")
	o.addOutputTo(cmd)
	o.addResumeTo(cmd)
	o.workers.addTo(cmd)
	o.live.addTo(cmd)
	return cmd
}

// search is what the flags come to. The scenarios are made at the lower end of the range, which
// puts them to every test that run does.
func (o capacityOptions) search(flags words) (capacity.Search, error) {
	s := capacity.Search{Objectives: o.objectives, Resolution: o.resolution,
		Confidence: o.confidence, Runs: o.count}
	if len(o.objectives) == 0 {
		return s, errors.New("capacity: --objective is missing, such as --objective " +
			"'p99-response<50ms'")
	}
	given, err := o.over(&s, flags)
	if err != nil {
		return s, err
	}
	if _, err := o.mode(); err != nil {
		return s, err
	}
	s.Lo, s.Hi = s.Over.Range(0)
	if given != (span{}) {
		s.Lo, s.Hi = given.lo, given.hi
	}
	axis := s.Over.String()
	flags[axis] = []word{{text: fmt.Sprint(s.Lo), where: "--" + axis + "-range"}}
	suite, err := flags.suite("")
	if err != nil {
		return s, err
	}
	if s.Scenarios = suite.Scenarios; given == (span{}) {
		_, s.Hi = s.Over.Range(offeredWork(s.Scenarios))
	}
	return s, s.Validate()
}

// over settles what is searched, and returns the range that was given for it; the zero span: none.
func (o capacityOptions) over(s *capacity.Search, flags words) (given span, err error) {
	ranges := map[capacity.Axis]span{capacity.Load: o.loads, capacity.Rate: o.rates,
		capacity.Limit: o.limits, capacity.Queue: o.queues}
	switch {
	case o.find == "limit":
		s.Over = capacity.Limit
	case o.find == "queue":
		s.Over = capacity.Queue
	case o.loads != (span{}) && o.rates != (span{}):
		return given, errors.New("--load-range and --rate-range exclude each other")
	case o.rates != (span{}):
		s.Over = capacity.Rate
	}
	given = ranges[s.Over]
	delete(ranges, s.Over)
	for axis, r := range ranges {
		if r != (span{}) {
			return given, fmt.Errorf("--%v-range: the %v is searched", axis, s.Over)
		}
	}
	for _, axis := range []string{"load", "rate", "limit", "queue"} {
		searched := axis == s.Over.String() ||
			s.Over <= capacity.Rate && (axis == "load" || axis == "rate")
		if len(flags[axis]) > 0 && searched {
			return given, fmt.Errorf("%s: it is searched; give its range, --%s-range",
				flags[axis][0].where, axis)
		}
	}
	return given, nil
}

// offeredWork is the most work that any of the scenarios offers, in slots kept busy.
func offeredWork(scenarios []bench.Scenario) (most float64) {
	for _, sc := range scenarios {
		load := workloads.MustParse(sc.Written().Workload)
		if load.Spec.Kind != workloads.Wait {
			continue // what computes or does I/O has no mean before it was measured
		}
		if w, err := load.Spec.Build(sc.Seed, load.Values); err == nil {
			most = max(most, sc.Load.PerSecond*w.Mean().Seconds())
		}
	}
	return most
}

// sayEvery is the time between two lines of progress.
const sayEvery = 5 * time.Second

// findCapacity is `poolbench capacity`.
func (a *app) findCapacity(ctx context.Context, s capacity.Search, o runOptions) error {
	if o.dryRun {
		return a.showSearch(s, o.format)
	}
	view, err := a.look(o.live, "capacity")
	if err != nil {
		return err
	}
	defer func() { a.complainOf(view.close("")) }()
	runner, err := a.runnerFor(o)
	if err != nil {
		return err
	}
	defer runner.close()
	dir, err := a.openDir(o)
	if err != nil {
		return err
	}
	defer a.unlock(dir)
	s.GoOn(dir)
	if err := dir.Begin(s.Plan(), func(string, uint64) bool { return true }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	e := &execution{path: dir.Path(), plan: plan{{suite: bench.Suite{Scenarios: s.Scenarios}}}}
	// how many runs there will be nobody knows, so there is no bar
	show := &progress{to: a.stderr, quiet: o.quiet}
	ctx, done := interruptible(ctx, show.say)
	defer done()
	var said time.Time
	s.Progress = func(searching int) {
		if searching == 0 || time.Since(said) >= sayEvery {
			said = time.Now()
			show.say(fmt.Sprintf("%d runs, %d of %d scenarios still searched", e.done,
				searching, len(s.Scenarios)))
		}
	}
	s.Parallel = runner.parallel()
	s.Confirm = runner.run
	running, err := runner.begin(ctx, show.say)
	if err != nil {
		return errors.Join(err, dir.End(s.MostRuns(), err))
	}
	running = view.begin(running, show.seen, nil)
	answers, stopped := s.Do(running, dir.Missing(runner.run),
		func(sc bench.Scenario, r *bench.Result, err error) error {
			show.ran()
			return a.take(e, record{id: runID{sc.Name(), sc.Seed}}, r, dir, show, err)
		})
	runner.close()
	f := &searched{search: s, answers: answers, execution: e}
	report, writing := a.drawReport(e, f.close(ctx, dir, stopped))
	a.complainOf(view.close(report))
	shown := a.showFinding(f, o.format, report)
	if !o.quiet {
		a.warn(ownRates(e.plan))
	}
	return ended(shown, f.codes(writing))
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
	planned := f.done + len(f.failed)
	for _, a := range f.answers {
		if stopped == nil && a.Err == nil && a.Runs() > 0 {
			planned++
			stopped = dir.Write(f.search.Result(a))
		}
	}
	if stopped == nil {
		stopped = f.sayRates(dir)
	}
	if cut != nil {
		planned = f.search.MostRuns() + len(f.answers)
	}
	return errors.Join(stopped, dir.End(planned, cut))
}

// codes are those of the runs and of the answers.
func (f *searched) codes(writing error) []int {
	codes := f.execution.codes(writing)
	for _, a := range f.answers {
		switch a.Outcome() {
		case capacity.Nowhere:
			codes = append(codes, regression)
		case capacity.Unknown:
			codes = append(codes, undecided)
		}
	}
	return codes
}

// A span is a range that is searched.
type span struct{ lo, hi float64 }

func parseSpan(text string) (span, error) {
	s, err := parseQueues(text)
	if err != nil || s.lo == 0 {
		return span{}, fmt.Errorf("want two numbers above 0 such as 0.1,1.2, the smaller first, "+
			"got %q", text)
	}
	return s, nil
}

// parseQueues reads a range that may begin with 0.
func parseQueues(text string) (span, error) {
	ends, err := param.Floats(text)
	if err != nil || len(ends) != 2 || !(ends[0] >= 0 && ends[0] < ends[1]) {
		return span{}, fmt.Errorf("want two numbers from 0 on such as 0,100, the smaller first, "+
			"got %q", text)
	}
	return span{ends[0], ends[1]}, nil
}

// A capacityDocument is what `poolbench capacity --format json` prints.
type capacityDocument struct {
	writtenHead
	Objective  string           `json:"objective"`
	Axis       string           `json:"axis"` // load, rate, limit or queue: what is searched
	From       float64          `json:"from"` // the range
	To         float64          `json:"to"`
	Confidence float64          `json:"confidence"`
	Cut        string           `json:"interrupted,omitempty"`
	Warnings   []string         `json:"warnings,omitempty"` // of a rate that is not the target's
	Answers    []capacityLine   `json:"answers"`
	Failed     []rundir.Failure `json:"failed,omitempty"`
}

// A capacityLine is the answer for one scenario.
type capacityLine struct {
	Name     string `json:"name"`
	Strategy string `json:"strategy"`
	Outcome  string `json:"outcome"` // between, at least, nowhere, unknown
	// the highest that is surely met, or the smallest limit; absent where there is none
	Met *float64 `json:"met,omitempty"`
	// the lowest above it that is surely missed, or the largest limit below it
	Missed      *float64    `json:"missed,omitempty"`
	MissedBelow []float64   `json:"missed_below,omitempty"`
	Runs        int         `json:"runs"`
	Calculated  int         `json:"calculated"` // of the runs, from their plans
	Confirmed   int         `json:"confirmed"`  // runs of the strategy's code that say the same
	Tried       []probeLine `json:"tried"`
}

// A probeLine is a load or a rate that was tried.
type probeLine struct {
	At      float64 `json:"at"`
	Met     int     `json:"met"` // runs
	Missed  int     `json:"missed"`
	Untold  int     `json:"untold"`
	Verdict string  `json:"verdict"`
}

func (a *app) showCapacityJSON(f *searched, report string) error {
	s := f.search
	doc := capacityDocument{
		writtenHead: newWrittenHead("capacity", f.path, report),
		Objective:   s.Objectives.String(), Axis: s.Over.String(), From: s.Lo, To: s.Hi,
		Confidence: cmp.Or(s.Confidence, 0.95), Cut: f.interruption(), Warnings: ownRates(f.plan),
		Answers: []capacityLine{}, Failed: f.failed,
	}
	for _, answer := range f.answers {
		line := capacityLine{
			Name: s.Result(answer).Name, Strategy: answer.Scenario.Strategy.String(),
			Outcome: answer.Outcome().String(),
			Met:     jsondoc.Finite(answer.Met), Missed: jsondoc.Finite(answer.Missed),
			MissedBelow: answer.MissedBelow, Runs: answer.Runs(), Calculated: answer.Calculated,
			Confirmed: answer.Confirmed, Tried: []probeLine{},
		}
		for _, p := range answer.Probes {
			line.Tried = append(line.Tried,
				probeLine{p.At, p.Met, p.Missed, p.Untold, p.Verdict.String()})
		}
		doc.Answers = append(doc.Answers, line)
	}
	return a.json(doc)
}
