package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/capacity"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/text"
)

// serverCapacity is the name of the hidden command for `poolbench capacity URL`.
const serverCapacity = "capacityof"

// The command for servers has the flags of attack. The URL may be in a session.
func rewriteServerArgs(args []string) []string {
	isOfServer := func(arg string) bool {
		scheme, _, ok := strings.Cut(arg, "://")
		return ok && slices.Contains(attack.Schemes(), scheme) ||
			arg == "URL" || // the placeholder in the help
			arg == "--session" || strings.HasPrefix(arg, "--session=")
	}
	if len(args) > 0 && args[0] == "capacity" && slices.ContainsFunc(args[1:], isOfServer) {
		return append([]string{serverCapacity}, args[1:]...)
	}
	return args
}

type serverOptions struct {
	options.AttackOptions
	first, most, resolution float64
	rest                    time.Duration
}

func (a *app) serverCapacityCommand() *cobra.Command {
	var o serverOptions
	cmd := &cobra.Command{
		Use:         serverCapacity + " URL --objective 'METRIC<VALUE' [flags]",
		Short:       "find the highest rate at which a server meets an objective",
		Hidden:      true, // the help of capacity describes it
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "capacity"},
		Args: o.File.ReadBefore(nil, func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && cmd.Flags().Changed("session") {
				return nil
			}
			return flags.Operands("URL")(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.findServer(cmd.Context(), cmd, o.File.Operands(args), o)
		},
	}
	options.ObjectiveByURL(cmd, &o.Objectives,
		"objective to meet, such as p99-response<50ms; several with commas, or repeated; with "+
			"sessions it covers all steps")
	fs := cmd.Flags()
	o.most = 1000
	fs.Var(flags.Parsed(&o.most, "X", options.ParseRate), "max-rate",
		"never send more than `X` requests, or sessions, per second (default 1000)")
	fs.Var(flags.Parsed(&o.first, "X", options.ParseRate), "first-rate",
		"begin with `X` requests, or sessions, per second (default an eighth of --max-rate)")
	fs.Var(flags.Share(&o.resolution, false), "resolution",
		"end the search at an interval of this `SHARE` of the rate (default 2%)")
	fs.DurationVar(&o.rest, "rest", 2*time.Second,
		"pause of this `TIME` between two probes, and twice as long after a miss")
	options.AddArrivals(cmd, &o.Attack, flags.Parsed(&o.Rate, "X", options.ParseRate), &o.Process,
		"constant")
	options.AddRequests(cmd, &o.AttackOptions)
	options.AddSession(cmd, &o.AttackOptions, "rates are in sessions per second, and the "+
		"objective applies to all steps")
	fs.Uint64Var(&o.FirstSeed, "seed", 1, "seed `N` of the arrivals, plus 1 for each further probe")
	o.File.AddTo(cmd, "")
	o.AddDirTo(cmd)
	o.AddJUnitTo(cmd)
	o.Live.AddTo(cmd)
	fs.BoolVar(&o.DryRun, "dry-run", false, "print the first requests to be sent, send nothing")
	o.AddFormatTo(cmd)
	// the search decides the values of these flags for a probe
	for _, name := range []string{"rate", "n"} {
		if err := fs.MarkHidden(name); err != nil {
			panic(err)
		}
	}
	flags.MarkCommon(cmd, "objective", "max-rate", "first-rate", "duration", "method", "header",
		"body", "session", "check", "timeout", "strategy", "limit", "out")
	return cmd
}

func (a *app) findServer(
	ctx context.Context, cmd *cobra.Command, args []string, o serverOptions,
) error {
	for _, name := range []string{"rate", "n"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s: the search is for the rate: give --max-rate and --duration", name)
		}
	}
	if _, err := o.Mode(); err != nil {
		return err
	}
	if err := o.Read(a.stdin, cmd, args); err != nil {
		return err
	}
	if o.first == 0 {
		o.first = o.most / 8
	}
	o.Rate = o.first
	attacks, err := o.Attacks()
	if err != nil {
		return err
	}
	s := capacity.Server{Objectives: o.Objectives, First: o.first, Most: o.most,
		Resolution: o.resolution, Rest: o.rest, Seed: o.FirstSeed}
	if len(o.Objectives) == 0 {
		return errors.New("capacity: want an objective, such as --objective 'p99-response<50ms'")
	}
	thinks, err := useSessions(&s, attacks[0])
	if err = errors.Join(err, s.Validate()); err != nil {
		return fmt.Errorf("capacity: %w", err)
	}
	left := s.Expected()
	expected := fmt.Sprintf("from %v%s up to at most %v%s: %d to %d probes of %v, %s", o.first,
		perSecond(s), o.most, perSecond(s), left.Least, left.Most, o.Duration,
		timeLeft(left, o.Duration+thinks))
	if s.Of != "" {
		expected += fmt.Sprintf("; %v applies to the requests of all steps", s.Objectives)
	}
	if o.DryRun {
		fmt.Fprintf(a.Stdout, "%s\n%s\n", show.NewLoad(attacks[0]).Name, expected)
		return show.Previews(a.Stdout, attacks[0])
	}
	if !o.Quiet {
		fmt.Fprintln(a.Stderr, attacks[0].Target()+": "+expected)
	}
	log.SetOutput(io.Discard) // see runAttack
	defer log.SetOutput(os.Stderr)
	return a.searchServer(ctx, s, attacks[0], o)
}

func timeLeft(left capacity.Remaining, probe time.Duration) string {
	least, most := left.Within(probe)
	return text.Roughly(least) + " to " + text.Roughly(most)
}

// maxThinkShare is the maximum mean think time as a share of a probe. The rate of requests is too
// low before the first sessions have finished thinking, and after the last session is due.
const maxThinkShare = 0.1

// useSessions makes s a search for a rate of sessions if the attack has any. It returns their mean
// think time.
func useSessions(s *capacity.Server, k attack.Attack) (thinks time.Duration, err error) {
	if k.Session == nil {
		return 0, nil
	}
	thinks = k.Session.MeanThought()
	if least := time.Duration(float64(thinks) / maxThinkShare); k.Duration < least {
		err = fmt.Errorf("duration %v: sessions think for %v on average, and a probe must be ten "+
			"times as long for its load to match its rate: give --duration %v",
			k.Duration, thinks, least)
	}
	s.Of = "sessions"
	s.Each = float64(len(k.Session.Steps)) * k.Duration.Seconds() / (k.Duration + thinks).Seconds()
	return thinks, err
}

func perSecond(s capacity.Server) string {
	if s.Of == "" {
		return " /s"
	}
	return " " + s.Of + "/s"
}

func (a *app) searchServer(
	ctx context.Context, s capacity.Server, k attack.Attack, o serverOptions,
) error {
	newLoad, end, err := show.LoadsOf(ctx, a.Host, o.AttackOptions)
	if err != nil {
		return err
	}
	defer end()
	e, err := execute.BeginSuite(a.Host, o.RunOptions, "capacity", "capacity of "+k.Target())
	if err != nil {
		return err
	}
	defer e.Close()
	ctx, done := terminal.Interruptible(ctx, nil)
	defer done()
	display := execute.NewLoads(0)
	watching := e.View.Begin(ctx, display.Plan, display.SetStatus)
	var left capacity.Remaining
	s.Before = func(r capacity.Remaining) { left = r }
	thinks := time.Duration(0)
	if k.Session != nil {
		thinks = k.Session.MeanThought()
	}
	s.Probe = func(ctx context.Context, rate, longer float64, seed uint64) (*bench.Result, error) {
		probe := k
		probe.Rate, probe.Duration = rate, time.Duration(longer*float64(k.Duration))
		l := newLoad(probe)
		l.Row = fmt.Sprintf("%v%s", rate, perSecond(s))
		row := execute.NewLoad(a.Stderr, o.Quiet, fmt.Sprintf("%s, probe %d of %d to %d, %s left", l.Row,
			e.Done+1, e.Done+left.Least, e.Done+left.Most, timeLeft(left, k.Duration+thinks)), l.Estimate)
		row.HideLeft()
		display.Next(row)
		r, err := l.Run(ctx, show.LoadTurn{Seed: seed, Watch: row.Step})
		display.Next(nil)
		row.Close()
		if err != nil {
			return nil, err
		}
		if err := e.Write(r.Result); err != nil {
			return nil, err
		}
		e.Done++
		return r.Result, r.Cut
	}
	answer, stopped := s.Do(watching)
	if ctx.Err() != nil {
		e.SetCut(ctx)
		stopped = nil
	}
	if stopped == nil && e.Cut == nil && e.Done > 0 {
		stopped = e.Dir.Write(serverResult(s, k, answer))
		e.Planned = e.Done + 1
	}
	e.Finish(errors.Join(stopped, e.Dir.End(e.Planned, e.Cut)))
	shown := showServer(s, k, answer, e, o.LoadOptions.Format)
	suite := execute.TestSuite("capacity", e)
	suite.Add(execute.CapacityCase("rate", serverResult(s, k, answer).Name, answer.Outcome(s.Most),
		answer.Met, answer.Missed, answer.Stopped))
	why := errors.Join(stopped, answer.Stopped)
	if _, nobody := errors.AsType[*attack.NobodyError](why); nobody {
		e.Discard()
	}
	return terminal.Ended(shown, append(e.Codes(), execute.PublishSuite(suite, o.JUnit, a.Printer),
		outcomeCode(answer.Outcome(s.Most)))...)
}

// The name of a result cannot contain these characters.
var spelled = strings.NewReplacer("%", "%25", " ", "%20", "/", "%2F")

func serverResult(s capacity.Server, k attack.Attack, found *capacity.ServerAnswer) *bench.Result {
	k.Rate = s.First
	name := strings.TrimPrefix(k.Name(), "Attack/")
	at := fmt.Sprintf("/rate=%v", s.First)
	name = strings.Replace(name, at, fmt.Sprintf("%s..%v", at, s.Most), 1)
	r := &bench.Result{Name: "Capacity/" + name + "/objective=" + spelled.Replace(s.Objectives.String()),
		Seed: s.Seed, Tasks: len(found.Probes)}
	for _, m := range []result.Metric{{Unit: metric.CapacityMetRate, Value: found.Met},
		{Unit: metric.CapacityMissedRate, Value: found.Missed},
		{Unit: metric.CapacityProbes, Value: float64(len(found.Probes))}} {
		if !math.IsNaN(m.Value) {
			r.Metrics = append(r.Metrics, m)
		}
	}
	r.Metrics = append(r.Metrics, lostAtMet(found)...)
	if found.Outcome(s.Most) == capacity.Unknown {
		r.Undecided = serverAnswer(s, k, found)
		if found.Stopped != nil {
			r.Undecided += ". " + stoppedText(found)
		}
	}
	return r
}

func lostAtMet(found *capacity.ServerAnswer) []result.Metric {
	for _, p := range found.Probes {
		if p.Rate == found.Met && p.Verdict == objectives.Met && !p.Late && p.Result != nil {
			losses := capacity.LossesOf(p.Result)
			return losses[:]
		}
	}
	return nil
}

// A probe that was sent late has no effect on the search.
func probeLine(p capacity.ServerProbe) show.SearchProbe {
	verdict := p.Verdict
	if p.Late {
		verdict = objectives.Undecided
	}
	tried := show.SearchProbe{At: p.Rate, Verdict: verdict.String()}
	*map[objectives.Verdict]*int{objectives.Met: &tried.Met, objectives.Missed: &tried.Missed,
		objectives.Undecided: &tried.Untold}[verdict]++
	return tried
}

func serverAnswer(s capacity.Server, k attack.Attack, found *capacity.ServerAnswer) (str string) {
	rate := func(v float64) string { return text.Digits(v) + perSecond(s) }
	switch found.Outcome(s.Most) {
	case capacity.Between:
		str = fmt.Sprintf("%s meets %v up to %s to %s", k.Target(), s.Objectives,
			text.Digits(found.Met), rate(found.Missed))
	case capacity.AtLeast:
		str = fmt.Sprintf("%s meets %v at %s, the highest rate allowed: try a larger --max-rate", k.Target(), s.Objectives, rate(s.Most))
	case capacity.Nowhere:
		str = fmt.Sprintf("%s misses %v at every rate of %s or more", k.Target(), s.Objectives,
			rate(found.Missed))
	default:
		str = capacity.Undecided(k.Target(), s.Objectives, found.Met, found.Missed, rate)
	}
	if loss := show.LossWords(lostAtMet(found)); loss != "" {
		str += "; of the load at " + rate(found.Met) + ", " + loss
	}
	return str
}

func stoppedText(found *capacity.ServerAnswer) string {
	return "The search stopped: " + found.Stopped.Error()
}

func showServer(
	s capacity.Server, k attack.Attack, found *capacity.ServerAnswer, e *execute.Execution,
	format string,
) error {
	ends := found.Outcome(s.Most)
	probes := slices.SortedStableFunc(slices.Values(found.Probes),
		func(a, b capacity.ServerProbe) int { return cmp.Compare(a.Rate, b.Rate) })
	if format == "json" {
		line := show.SearchLine{Name: serverResult(s, k, found).Name, Outcome: ends.String(),
			Strategy: k.Strategy.String(), Met: text.JSONNumber(found.Met),
			Missed: text.JSONNumber(found.Missed), Runs: len(probes), Tried: []show.SearchProbe{}}
		for _, p := range probes {
			line.Tried = append(line.Tried, probeLine(p))
		}
		var warnings []string
		if found.Stopped != nil {
			warnings = []string{"the search stopped: " + found.Stopped.Error()}
		}
		return e.JSON(show.SearchDocument{Warnings: warnings,
			Head:      show.HeadOf(e, "capacity"),
			Objective: s.Objectives.String(), Axis: "rate", From: s.First, To: s.Most,
			Cut: e.Interruption(), Answers: []show.SearchLine{line}, Failed: e.Failed})
	}
	if err := e.ShowCut(); err != nil {
		return err
	}
	if e.Cut != nil && len(probes) == 0 {
		return e.Prose("No probe has ended.\n")
	}
	rate := func(v float64) string { return text.Digits(v) + perSecond(s) }
	e.Paragraph("", serverAnswer(s, k, found), show.Width)
	if s.Of != "" {
		e.Paragraph("", fmt.Sprintf("%v applies to the requests of all %d steps of a session.", s.Objectives,
			len(k.Session.Steps)), show.Width)
	}
	if found.Stopped != nil {
		e.Paragraph("", stoppedText(found), show.Width)
	}
	fmt.Fprintln(e.Stdout)
	head := []string{"rate", "verdict", "p50", "p99"}
	units := []string{metric.P50Response, metric.P99Response}
	for _, o := range s.Objectives { // the objective that decides the verdict of a probe
		if unit, _ := decide.Completed(o.Unit); !slices.Contains(units, unit) {
			head, units = append(head, o.Metric()), append(units, unit)
		}
	}
	rows := [][]string{append(head, "lost", "p99 lag")}
	for _, p := range probes {
		cells := []string{rate(p.Rate), p.Verdict.String()}
		if p.Late {
			cells[1] = "sent late"
		}
		for _, unit := range units {
			cells = append(cells, metricOf(p.Result, unit))
		}
		cells = append(cells, text.Share(p.Lost), metricOf(p.Result, metric.P99Lag))
		rows = append(rows, cells)
	}
	if err := e.Table(rows); err != nil || e.Report == "" {
		return err
	}
	return e.Prose(`
  A missed probe is repeated unless its queue grew. The highest rate that met the
  objectives is tried once more, for twice as long. Lost requests were refused,
  failed, or had no answer.
Report: %s
`, e.Report)
}

func metricOf(r *bench.Result, unit string) string {
	v, ok := r.Metric(unit)
	if !ok {
		return "–"
	}
	return text.Metric(unit, v)
}
