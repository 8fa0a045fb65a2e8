package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/advise"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/strategies"
)

// adviseOptions contains the flags of advise that are not axes.
type adviseOptions struct {
	objectives       objectives.List
	may              []string
	limit, queue     int
	memory           int64
	budget, runLimit time.Duration
	format           string
	html             flags.Output
	quiet            bool
}

func (a *app) adviseCommand() *cobra.Command {
	var o adviseOptions
	var axes options.Words
	cmd := &cobra.Command{
		Use:   "advise --rate N --objective 'METRIC<VALUE' [flags]",
		Short: "find the strategy and limit for your work and traffic",
		Args:  flags.Operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, err := o.question(axes)
			if err != nil {
				return err
			}
			return a.advise(cmd.Context(), q, o)
		},
	}
	axes = options.AddAxes(cmd, "limit", "stages", "queue", "load", "count", "clock", "drain")
	fs := cmd.Flags()
	options.Objective(cmd, &o.objectives, "objective to meet, such as p99-response<50ms; several "+
		"with commas, or repeated; the result is predicted for the first")
	fs.Var(flags.Parsed(&o.may, "shed|drop", o.allow), "may",
		"allow up to 1% of tasks to be refused (shed), or to fail (drop) (repeatable)")
	flags.Complete(cmd, "may", func() []string { return mays })
	fs.Var(flags.AtLeastOne(&o.limit, strategies.MaxLimit), "limit-at-most",
		"largest limit that is possible (default 1024)")
	fs.Var(flags.Parsed(&o.queue, "N", options.ParseQueue), "queue-at-most",
		"longest queue that is possible; 0: none (default: no bound)")
	fs.Var(flags.Parsed(&o.memory, "SIZE", parseMemory), "memory-at-most",
		"memory for queued and running tasks, 4KiB each, such as 64MiB (default: no bound)")
	fs.DurationVar(&o.budget, "budget", 30*time.Second, "effort: 50,000 simulated tasks for each "+
		"second of this `TIME`, on any machine")
	o.html.AddTo(cmd, "html", "also write a page for a browser to this `FILE`")
	fs.DurationVar(&o.runLimit, flags.RunLimit, 0,
		"abort a run that makes no progress for this `TIME` (default 30s)")
	flags.Choice(cmd, &o.format, "format", "output format", "text", "json")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
	flags.MarkCommon(cmd, "strategy", "workload", "target", "arrival", "rate", "deadline",
		"objective", "limit-at-most", "budget", "html")
	return cmd
}

var mays = []string{"shed", "drop"}

func (o *adviseOptions) allow(text string) ([]string, error) {
	may := strings.Split(text, ",")
	for _, one := range may {
		if !slices.Contains(mays, one) {
			return nil, fmt.Errorf("unknown value %q (known: %s)", one, strings.Join(mays, ", "))
		}
	}
	return append(o.may, may...), nil
}

func parseMemory(text string) (int64, error) {
	const key = "memory"
	v, err := param.Resolve([]param.Key{{Name: key, Kind: param.Size}},
		[]param.Arg{{Key: key, Value: text}})
	if err != nil {
		return 0, fmt.Errorf("want a size in bytes such as 512KiB or 64MiB, got %q", text)
	}
	return v.Size(key), nil
}

func (o adviseOptions) question(axes options.Words) (q advise.Question, err error) {
	if len(o.objectives) == 0 {
		return q, errors.New("advise: want an objective, such as --objective 'p99-response<50ms'")
	}
	suite, err := axes.Suite("")
	if err != nil {
		return q, err
	}
	q = advise.Question{Scenario: suite.Scenarios[0], Objectives: o.objectives,
		MayShed: slices.Contains(o.may, "shed"), MayDrop: slices.Contains(o.may, "drop"),
		LimitAtMost: o.limit, QueueAtMost: o.queue, MemoryAtMost: o.memory, Budget: o.budget}
	load := q.Scenario.Load
	switch {
	case load.Arrival.TakesRate() && axes["rate"] == nil:
		return q, errors.New("advise: want a rate, such as --rate 200")
	case load.Arrival.Spec.AllAtOnce && axes["n"] == nil:
		return q, errors.New("advise: --n is missing, the number of tasks of the batch")
	}
	question := questionOf(q.Scenario)
	for _, sc := range suite.Scenarios {
		if questionOf(sc) != question {
			return q, fmt.Errorf("advise: one question at a time, got %s and %s", question,
				questionOf(sc))
		}
		if axes["strategy"] != nil {
			q.Strategies = append(q.Strategies, sc.Strategy)
		}
	}
	if axes["n"] == nil && axes["duration"] == nil {
		q.Scenario.Stop.Tasks = 0 // the budget determines the number
	}
	if err := q.Validate(); err != nil {
		return q, fmt.Errorf("advise: %w", err)
	}
	return q, nil
}

func questionOf(sc bench.Scenario) string {
	text := fmt.Sprintf("%s, %s arrivals", sc.Workload, cmp.Or(sc.Load.Arrival.String(), "poisson"))
	if sc.Load.PerSecond != 0 {
		text += fmt.Sprintf(", rate %v /s", sc.Load.PerSecond)
	}
	if sc.Target.Spec.New != nil && sc.Target.Spec.Name != "none" {
		text += fmt.Sprintf(", target %s", sc.Target)
	}
	return text
}

func (a *app) advise(ctx context.Context, q advise.Question, o adviseOptions) error {
	show := execute.NewLines(a.Stderr, o.quiet)
	ctx, done := terminal.Interruptible(ctx, show.Println)
	defer done()
	runs := execute.New(a.Host, o.runLimit)
	defer runs.Close()
	answer, err := q.Do(ctx, runs.Run)
	if cause := context.Cause(ctx); cause != nil {
		return terminal.Interrupted
	}
	if err != nil {
		return fmt.Errorf("advise: %w", err)
	}
	doc := adviceDocument(q, answer)
	if err := o.html.Write(func(w io.Writer) error { return doc.WritePage(w) }); err != nil {
		return err
	}
	shown := error(nil)
	if o.format == "json" {
		shown = a.JSON(doc)
	} else {
		shown = doc.WriteText(a.Stdout)
	}
	return terminal.Ended(shown, map[advise.Verdict]terminal.ExitCode{advise.Meets: terminal.Fine,
		advise.NothingMeets: terminal.Regression, advise.Undecided: terminal.Undecided}[answer.Verdict])
}

func adviceDocument(q advise.Question, a *advise.Answer) *page.AdviceDocument {
	unit := q.Objectives[0].Unit
	d := &page.AdviceDocument{Format: "poolbench advise", Version: 1, Verdict: string(a.Verdict),
		Objective: q.Objectives.String(), Bound: q.Objectives[0].Bound,
		Question: questionOf(q.Scenario), Seed: strconv.FormatUint(q.Scenario.Seed, 10),
		Work: page.AdviceWork{Mean: a.Work.Mean, C2: a.Work.C2, GapC2: text.JSONNumber(a.Work.GapC2),
			Rate: known(a.Work.Rate), Busy: known(a.Work.Busy), Busier: a.Work.Busier},
		Recommendation: adviceOption(unit, a.Recommendation),
		RunnersUp:      []page.AdviceOption{}, NotLookedAt: text.JSONList(a.NotLooked)}
	d.Recommendation.Go = a.Recommendation.Code()
	d.Recommendation.QueueReason = a.Recommendation.QueueWhy
	if s := a.Simplest; s != nil {
		equal := append([]strategies.Variant{s.Strategy}, s.Ties...)
		slices.SortStableFunc(equal, func(a, b strategies.Variant) int {
			return cmp.Compare(shortness(a), shortness(b))
		})
		d.Simplest = &page.AdviceSimplest{Limit: s.Limit, But: s.But,
			Strategies: text.Texts(equal, strategies.Variant.String)}
	}
	for _, o := range a.RunnersUp {
		d.RunnersUp = append(d.RunnersUp, adviceOption(unit, o))
	}
	for at, o := range map[**page.AdviceOption]*advise.Option{&d.Below: a.Below, &d.Above: a.Above} {
		if o != nil {
			option := adviceOption(unit, *o)
			*at = &option
		}
	}
	for _, m := range a.Missing {
		d.Missing = append(d.Missing, page.AdviceMissing{What: m.What, Value: m.Value})
	}
	d.Basis = "virtual clock, " + text.Count(a.Tasks, "task") + " through strategies' own code"
	if a.Replayed {
		d.Basis += ", pools by recursion"
	}
	if a.Recorded {
		d.Basis += ", one recorded plan"
	}
	if a.Record > 0 {
		d.Record = &page.AdviceRecord{Ran: a.Ran, Tasks: a.Record, Pools: a.Replayed}
	}
	return d
}

// shortness is 0 for strategies with a short equivalent in Go, otherwise 1.
func shortness(v strategies.Variant) int {
	if v.Spec.Go != nil {
		return 0
	}
	return 1
}

func adviceOption(unit string, o advise.Option) page.AdviceOption {
	out := page.AdviceOption{Strategy: o.Strategy.String(), Limit: o.Limit, Rate: known(o.Rate),
		Metric: unit, Low: text.JSONNumber(o.Promise.Low), Value: text.JSONNumber(o.Promise.Mid),
		High: text.JSONNumber(o.Promise.High), Verdict: o.Verdict.String(),
		HoldsUpTo: text.JSONNumber(o.Holds), Regret: text.JSONNumber(o.Regret)}
	if o.Unstable != "" {
		out.Verdict, out.Unstable = page.Unstable, o.Unstable
	}
	out.Same = o.Same
	if slots, ok := o.Slots(); ok {
		out.Queue = &slots
	}
	out.Ties = text.Texts(o.Ties, strategies.Variant.String)
	if o.Confirmed != nil {
		out.Confirmed = text.JSONNumber(o.Confirmed.Mid)
	}
	for _, s := range o.Stresses {
		one := page.AdviceStress{Name: s.Name, Value: text.JSONNumber(s.Figure.Mid),
			Verdict: s.Verdict.String(), NoWorse: s.NoWorse, Missed: s.Missed}
		if s.Unstable {
			one.Verdict = page.Unstable
		}
		out.Stresses = append(out.Stresses, one)
	}
	return out
}

// known returns nil for a rate of 0, which means that it is unknown.
func known(v float64) *float64 { return text.JSONNumber(cmp.Or(v, math.NaN())) }
