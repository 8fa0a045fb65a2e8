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
	"github.com/poolbench/poolbench/bench/capacity"
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/internal/jsondoc"
	"github.com/poolbench/poolbench/internal/quantity"
)

// serverCapacity is the name of the command that `poolbench capacity URL` is.
const serverCapacity = "capacityof"

// ofServer turns `capacity URL` into the command for it: its flags are those of attack.
func ofServer(args []string) []string {
	isURL := func(arg string) bool {
		return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
	}
	if len(args) > 0 && args[0] == "capacity" && slices.ContainsFunc(args[1:], isURL) {
		return append([]string{serverCapacity}, args[1:]...)
	}
	return args
}

// serverOptions are the flags of a search for the capacity of a server.
type serverOptions struct {
	attackOptions
	first, most, resolution float64
	rest                    time.Duration
}

func (a *app) serverCapacityCommand() *cobra.Command {
	var o serverOptions
	cmd := &cobra.Command{
		Use:    serverCapacity + " URL --objective 'METRIC<VALUE' [flags]",
		Short:  "find the highest rate at which a server meets an objective",
		Hidden: true, // capacity tells of it
		Args:   o.file.before(nil, operands("URL")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.findServer(cmd.Context(), cmd, o.file.operands(args), o)
		},
	}
	objectiveVar(cmd, &o.objectives,
		"what is to be met, such as p99-response<50ms; several with commas, or the flag again")
	fs := cmd.Flags()
	o.most = 1000
	fs.Var(parsed(&o.most, "X", parseRate), "max-rate",
		"never send more than `X` requests per second (default 1000)")
	fs.Var(parsed(&o.first, "X", parseRate), "first-rate",
		"begin with `X` requests per second (default an eighth of --max-rate)")
	fs.Var(shareFlag(&o.resolution, false), "resolution",
		"stop at gaps of this `SHARE` of the rate (default 2%)")
	fs.DurationVar(&o.rest, "rest", 2*time.Second,
		"`TIME` to leave the server alone between two probes; twice as long after a miss")
	addArrivals(cmd, &o.Attack, parsed(&o.Rate, "X", parseRate), &o.arrival, "constant")
	addRequests(cmd, &o.attackOptions)
	fs.Uint64Var(&o.seed, "seed", 1, "seed `N` of the arrivals; each probe has the next")
	o.file.addTo(cmd, "")
	o.addDirTo(cmd)
	o.live.addTo(cmd)
	fs.BoolVar(&o.dryRun, "dry-run", false, "say what would be sent, send nothing")
	o.addFormatTo(cmd)
	for _, name := range []string{"rate", "n"} { // of a probe the search decides
		if err := fs.MarkHidden(name); err != nil {
			panic(err)
		}
	}
	return cmd
}

// findServer is `poolbench capacity URL`.
func (a *app) findServer(
	ctx context.Context, cmd *cobra.Command, args []string, o serverOptions,
) error {
	for _, name := range []string{"rate", "n"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s: the rate is searched; give --max-rate and --duration", name)
		}
	}
	if _, err := o.mode(); err != nil {
		return err
	}
	if err := o.read(a.stdin, cmd, args); err != nil {
		return err
	}
	if o.first == 0 {
		o.first = o.most / 8
	}
	o.Rate = o.first
	if o.Workers == 0 {
		o.Workers = attack.Unlimited // or what waits for a worker would be called late
	}
	attacks, err := o.attacks()
	if err != nil {
		return err
	}
	s := capacity.Server{Objectives: o.objectives, First: o.first, Most: o.most,
		Resolution: o.resolution, Rest: o.rest, Seed: o.seed}
	if len(o.objectives) == 0 {
		return errors.New("capacity: --objective is missing, such as --objective " +
			"'p99-response<50ms'")
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("capacity: %w", err)
	}
	if o.dryRun {
		_, err := fmt.Fprintf(a.stdout, "%s\nfrom %v /s up to at most %v /s, %v each\n",
			newLoad(attacks[0]).name, o.first, o.most, o.Duration)
		return err
	}
	log.SetOutput(io.Discard) // see runAttack
	defer log.SetOutput(os.Stderr)
	return a.searchServer(ctx, s, attacks[0], o)
}

// searchServer probes into a directory, and shows what came out.
func (a *app) searchServer(
	ctx context.Context, s capacity.Server, k attack.Attack, o serverOptions,
) error {
	newLoad, end, err := a.loader(ctx, o.attackOptions)
	if err != nil {
		return err
	}
	defer end()
	view, err := a.look(o.live, "capacity of "+k.Target())
	if err != nil {
		return err
	}
	defer func() { a.complainOf(view.close("")) }()
	ctx, done := interruptible(ctx, nil)
	defer done()
	dir, err := a.openDir(o.runOptions)
	if err != nil {
		return err
	}
	defer a.unlock(dir)
	e := &execution{path: dir.Path()}
	show := &loadsProgress{}
	watching := view.begin(ctx, show.seen, show.tell)
	s.Probe = func(ctx context.Context, rate, longer float64, seed uint64) (*bench.Result, error) {
		k.Rate = rate
		k.Duration = time.Duration(longer * float64(o.Duration))
		l := newLoad(k)
		l.row = fmt.Sprintf("%v /s", rate)
		progress := a.newLoadProgress(l, o.quiet)
		show.next(progress)
		r, err := l.run(ctx, turn{seed: seed, watch: progress.step})
		show.next(nil)
		progress.close()
		if err != nil {
			return nil, err
		}
		if err := dir.Write(r.Result); err != nil {
			return nil, err
		}
		r.Readings, r.Timeline = nil, nil // they are on disk
		e.done++
		return r.Result, r.Cut
	}
	answer, stopped := s.Do(watching)
	if ctx.Err() != nil {
		e.cut, stopped = context.Cause(ctx), nil
	}
	if stopped == nil && e.cut == nil && e.done > 0 {
		stopped = dir.Write(serverResult(s, k, answer))
		e.planned = e.done + 1
	}
	report, writing := a.drawReport(e, errors.Join(stopped, dir.End(e.planned, e.cut)))
	a.complainOf(view.close(report))
	shown := a.showServer(s, k, answer, e, o.loadOptions.format, report)
	codes := e.codes(writing)
	switch answer.Outcome(s.Most) {
	case capacity.Nowhere:
		codes = append(codes, regression)
	case capacity.Unknown:
		codes = append(codes, undecided)
	}
	return ended(shown, codes)
}

// serverResult puts the answer in the form of a run, as searches under the virtual clock do.
func serverResult(s capacity.Server, k attack.Attack, found *capacity.ServerAnswer) *bench.Result {
	k.Rate = s.First
	name := strings.TrimPrefix(k.Name(), "Attack/")
	at := fmt.Sprintf("/rate=%v", s.First)
	name = strings.Replace(name, at, fmt.Sprintf("%s..%v", at, s.Most), 1)
	r := &bench.Result{Name: "Capacity/" + name + "/objective=" + s.Objectives.String(),
		Seed: s.Seed, Tasks: len(found.Probes)}
	for _, m := range []bench.Metric{{Unit: "capacity-met-rate", Value: found.Met},
		{Unit: "capacity-missed-rate", Value: found.Missed},
		{Unit: "capacity-probes", Value: float64(len(found.Probes))}} {
		if !math.IsNaN(m.Value) {
			r.Metrics = append(r.Metrics, m)
		}
	}
	return r
}

// showServer prints the answer first, then the probes by their rate.
func (a *app) showServer(
	s capacity.Server, k attack.Attack, found *capacity.ServerAnswer, e *execution,
	format, report string,
) error {
	outcome := found.Outcome(s.Most)
	probes := slices.SortedStableFunc(slices.Values(found.Probes),
		func(a, b capacity.ServerProbe) int { return cmp.Compare(a.Rate, b.Rate) })
	if format == "json" {
		line := capacityLine{Name: serverResult(s, k, found).Name, Outcome: outcome.String(),
			Strategy: k.Strategy.String(), Met: jsondoc.Finite(found.Met),
			Missed: jsondoc.Finite(found.Missed), Runs: len(probes), Tried: []probeLine{}}
		for _, p := range probes {
			tried := probeLine{At: p.Rate, Verdict: p.Verdict.String()}
			*map[objectives.Verdict]*int{objectives.Met: &tried.Met,
				objectives.Missed: &tried.Missed, objectives.Undecided: &tried.Untold}[p.Verdict]++
			line.Tried = append(line.Tried, tried)
		}
		return a.json(capacityDocument{writtenHead: newWrittenHead("capacity", e.path, report),
			Objective: s.Objectives.String(), Axis: "rate", From: s.First, To: s.Most,
			Cut: e.interruption(), Answers: []capacityLine{line}, Failed: e.failed})
	}
	rate := func(v float64) string { return quantity.Digits(v) + " /s" }
	answer := map[capacity.Outcome]string{
		capacity.Between: fmt.Sprintf("%s meets %v up to %s to %s", k.Target(), s.Objectives,
			quantity.Digits(found.Met), rate(found.Missed)),
		capacity.AtLeast: fmt.Sprintf("%s meets %v at %s, the most that may be sent: try a larger "+
			"--max-rate", k.Target(), s.Objectives, rate(s.Most)),
		capacity.Nowhere: fmt.Sprintf("%s misses %v at every rate, from %s on", k.Target(),
			s.Objectives, rate(found.Missed)),
		capacity.Unknown: fmt.Sprintf("%s: undecided for %v; met at %s, missed at %s", k.Target(),
			s.Objectives, rate(found.Met), rate(found.Missed)),
	}[outcome]
	answer = strings.ReplaceAll(answer, "NaN /s", "no rate")
	a.say("", answer, loadWidth)
	if found.Stopped != nil {
		a.say("", "The search stopped: "+found.Stopped.Error(), loadWidth)
	}
	fmt.Fprintln(a.stdout)
	rows := [][]string{{"rate", "verdict", "p50", "p99", "lost", "p99 lag"}}
	for _, p := range probes {
		cells := []string{rate(p.Rate), p.Verdict.String()}
		if p.Late {
			cells[1] = "sent late"
		}
		for _, unit := range []string{"p50-response-sec", "p99-response-sec"} {
			cells = append(cells, metricOf(p.Result, unit))
		}
		cells = append(cells, quantity.Share(p.Lost), metricOf(p.Result, "p99-lag-sec"))
		rows = append(rows, cells)
	}
	if err := a.table(rows); err != nil || report == "" {
		return err
	}
	return a.prose(`
  A probe that is missed is tried again, and what is met at last once more, for
  twice as long. Lost is what was refused, failed, or had no answer.
Report: %s
`, report)
}

func metricOf(r *bench.Result, unit string) string {
	v, ok := r.Metric(unit)
	if !ok {
		return "–"
	}
	return quantity.Metric(unit, v)
}
