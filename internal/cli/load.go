package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/gateway"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/workloads"
)

// A load is one HTTP load to be put on, again and again: a row of the table.
type load struct {
	row      string
	name     string // of its results
	estimate time.Duration
	plan     attack.Written // of an attack
	run      func(context.Context, turn) (*attack.Report, error)
}

// A turn is one of the times that a load is put on.
type turn struct {
	seed   uint64
	before *bench.Result // of a soak that was cut off; nil: it begins
	watch  func(attack.Progress)
}

// runInto runs the load, and writes what a soak has so far.
func (l load) runInto(
	ctx context.Context, t turn, dir *bench.Dir, complain func(error),
) (*attack.Report, error) {
	var progress bench.Progress
	asked := newAsking(&progress)
	end := every(bench.PulseInterval, func() {
		if r := asked.hear(); r != nil {
			if err := dir.WriteSoFar(r); err != nil {
				complain(err)
			}
		}
	})
	defer end()
	return l.run(bench.WithProgress(ctx, &progress), t)
}

// loadOptions are the flags that attack and gateway share: how often, and where to.
type loadOptions struct {
	runOptions // out, force, append, dryRun, quiet and format
	count      int
	seed       uint64
}

func (o *loadOptions) addTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	o.count = 1
	fs.Var(atLeastOne(&o.count, mostRuns), "count",
		"`N` repetitions; 6 give an interval, 10 a comparison (default 1)")
	fs.Uint64Var(&o.seed, "seed", 1, "seed `N` of the arrivals; repetition i uses seed+i")
	o.addDirTo(cmd)
	o.live.addTo(cmd)
	fs.BoolVar(&o.dryRun, "dry-run", false, "say what would be sent, send nothing")
	o.addFormatTo(cmd)
}

// A loaded is what has come of a series of loads.
type loaded struct {
	*execution
	loads []load
	first []uint64 // seed of each
	quiet bool
}

// begin names the plan of attacks in the directory, and settles the seeds.
func (e *loaded) begin(kind string, o loadOptions, dir *bench.Dir) error {
	sum := sha256.New()
	words := json.NewEncoder(sum)
	for _, l := range e.loads {
		seed := dir.NextSeed(o.seed, o.count, func(name string) bool { return name == l.name })
		e.first = append(e.first, seed)
		if err := words.Encode([]any{l.plan, seed, o.count}); err != nil {
			return err
		}
	}
	if kind != "attack" {
		return nil
	}
	return dir.BeginRest(fmt.Sprintf("%d attacks, %x", e.planned, sum.Sum(nil)[:6]),
		func(name string, seed uint64) bool {
			for i, l := range e.loads {
				if l.name == name && seed-e.first[i] < uint64(o.count) {
					return true
				}
			}
			return false
		})
}

// runLoads puts the loads on, interleaved over the repetitions, and shows what came of it, under a
// heading that says what it is.
func (a *app) runLoads(
	ctx context.Context, kind, what string, loads []load, o loadOptions,
) error {
	if o.dryRun {
		for _, l := range loads {
			fmt.Fprintln(a.stdout, l.name)
		}
		return nil
	}
	view, err := a.look(o.live, what)
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
	if err := hold(dir, o.objectives); err != nil {
		return err
	}
	e := &loaded{&execution{path: dir.Path(), planned: len(loads) * o.count,
		objectives: o.objectives}, loads, nil, o.quiet}
	if err := e.begin(kind, o, dir); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	show := &loadsProgress{planned: e.planned}
	writing := a.putOn(view.begin(ctx, show.seen, show.tell), e, o, dir, show)
	if ctx.Err() != nil {
		e.cut = context.Cause(ctx)
	}
	report, writing := a.drawReport(e.execution, errors.Join(writing, dir.End(e.planned, e.cut)))
	a.complainOf(view.close(report))
	shown := a.showLoaded(kind, what, e, o.format, report)
	if !e.quiet && o.format != "json" {
		a.warn(suspects(e.records))
	}
	return ended(shown, e.codes(writing))
}

// putOn runs the series into the directory. The error is about the directory.
func (a *app) putOn(
	ctx context.Context, e *loaded, o loadOptions, dir *bench.Dir, all *loadsProgress,
) error {
	for i := range o.count {
		for k, l := range e.loads {
			if ctx.Err() != nil {
				return nil
			}
			seed := e.first[k] + uint64(i)
			whole, before := dir.Held(l.name, seed)
			r, err := &attack.Report{Result: whole, Resumed: true}, error(nil)
			if whole == nil {
				show := a.newLoadProgress(l, o.quiet)
				all.next(show)
				r, err = l.runInto(ctx, turn{seed, before, show.step}, dir, a.complain)
				all.next(nil)
				show.close()
			}
			switch {
			case err != nil && ctx.Err() != nil:
				return nil
			case err != nil:
				a.complain(err)
				if err := e.fail(dir, l.name, seed, err); err != nil {
					return err
				}
				continue
			}
			rec := record{section: k, id: runID{r.Name, r.Seed}, answers: r}
			err = a.take(e.execution, rec, r.Result, dir, &progress{to: a.stderr}, nil)
			if why := nothingCompleted(r); why != "" {
				a.complain(fmt.Errorf("%s (seed %d): not one of %d requests was completed: %s",
					r.Name, r.Seed, r.Tasks, why))
				e.failed = append(e.failed,
					rundir.Failure{Name: r.Name, Seed: r.Seed, Reason: why})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// nothingCompleted says what came instead, where nothing was completed; "" where something was.
func nothingCompleted(r *attack.Report) string {
	if rate, ok := r.Metric("mean-response-sec"); ok && rate >= 0 || r.Cut != nil {
		return ""
	}
	return strings.Join(append(spellCounts("status ", r.Statuses), spellCounts("", r.Errors)...),
		", ")
}

func spellCounts(before string, counts []attack.Count) (words []string) {
	for _, same := range results.Gather(counts, func(c attack.Count) string { return c.What }) {
		sum := same[0].N
		for _, c := range same[1:] {
			sum += c.N
		}
		words = append(words, fmt.Sprintf("%s%s × %d", before, same[0].What, sum))
	}
	return words
}

// gatewayStrategies are those of a gateway that names none: one that sheds, and one that does not.
const gatewayStrategies = "bounded_queue_shed,worker_pool"

// gatewayOptions are the flags of gateway.
type gatewayOptions struct {
	loadOptions
	gateway.Scenario
	strategies        []string
	workload, arrival string
}

func (a *app) gatewayCommand() *cobra.Command {
	var o gatewayOptions
	load := &o.Scenario.Load
	cmd := &cobra.Command{
		Use:   "gateway [flags]",
		Short: "a server bounded by strategies, from its clients' side",
		Args:  operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runGateway(cmd, o)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&o.strategies, "strategy", nil,
		"`NAME` of the strategy, or several with commas; all for every one (default "+
			gatewayStrategies+")")
	completeFlag(cmd, "strategy", strategiesOrAll)
	addServers(cmd)
	fs.StringVar(&o.workload, "workload", "constant:mean=10ms",
		"`NAME` of the workload that a request runs")
	completeFlag(cmd, "workload", workloadNames)
	o.Limit = gateway.DefaultLimit
	fs.Var(atLeastOne(&o.Limit, arrivals.MaxTasks), "limit",
		fmt.Sprintf("most requests in service, `K` (default %d)", gateway.DefaultLimit))
	fs.Var(parsed(&o.Queue, "N", parseQueue), "queue", queueDoc)
	addArrivals(cmd, load, parsed(&load.Rate, "X", parseRate), &o.arrival, "poisson")
	fs.Var(parsed(&load.Workers, "N", parseWorkers), "workers",
		"most requests in flight (default unlimited)")
	fs.DurationVar(&load.Timeout, "timeout", attack.DefaultTimeout,
		"`TIME` from sending a request to the end of its answer")
	o.loadOptions.addTo(cmd)
	return cmd
}

// runGateway reads the flags and runs the servers.
func (a *app) runGateway(cmd *cobra.Command, o gatewayOptions) error {
	if _, err := o.mode(); err != nil {
		return err
	}
	untilDone(cmd, &o.Load)
	if o.Load.Workers == 0 {
		o.Load.Workers = attack.Unlimited
	}
	var err error
	if o.Load.Arrival, err = arrivals.Parse(o.arrival); err != nil {
		return fmt.Errorf("--arrival: %w", err)
	}
	var built workloads.Workload
	if o.Workload, built, err = buildWorkload(o.workload, o.seed); err != nil {
		return err
	}
	if err := closeWorkload(built); err != nil {
		return err
	}
	if o.strategies == nil {
		o.strategies = []string{gatewayStrategies}
	}
	chosen, err := chooseStrategies(o.strategies)
	if err != nil {
		return err
	}
	var loads []load
	var wrong []error
	for _, s := range chosen {
		k := o.Scenario
		k.Strategy = s
		if !s.Spec.UsesQueue && len(chosen) > 1 {
			k.Queue = 0
		}
		wrong = append(wrong, k.Validate())
		loads = append(loads, newGatewayLoad(k))
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	return a.runLoads(cmd.Context(), "gateway", "gateway", loads, o.loadOptions)
}

func newGatewayLoad(k gateway.Scenario) load {
	l := newLoad(k.Load)
	l.row, l.name = k.Strategy.String(), k.Name()
	l.run = func(ctx context.Context, t turn) (*attack.Report, error) {
		k.Load.Seed, k.Load.Watch = t.seed, t.watch
		return gateway.Run(ctx, k)
	}
	return l
}
