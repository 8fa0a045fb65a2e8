package show

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/progress"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// A Load is one HTTP load that is sent repeatedly. It is a row of the table.
type Load struct {
	Row      string
	Name     string // name of its results
	Estimate time.Duration
	plan     attack.Encoded // plan of an attack
	steps    []string       // steps of its sessions; empty without sessions
	urls     []attack.URL   // URLs with their own results; empty if there is one URL
	flatOut  int            // number of clients that send without a pause
	Run      func(context.Context, LoadTurn) (*attack.Report, error)
}

type LoadTurn struct {
	Seed   uint64
	before *bench.Result // partial result of an interrupted soak; nil for a new one
	Watch  func(attack.Progress)
}

func (l Load) runInto(
	ctx context.Context, t LoadTurn, h *execute.Host, dir *directory.Dir,
) (*attack.Report, error) {
	var tracker progress.Tracker
	defer execute.Ask(&tracker, h.FirstPause, func(r *bench.Result) {
		h.Complain(dir.WriteSoFar(r))
	})()
	return l.Run(progress.NewContext(ctx, &tracker), t)
}

type loadSeries struct {
	*execute.Execution
	loads      []Load
	first      []uint64 // first seed of each load
	spreads    []spread // distributions of each load
	notes      []string // note about each load, or ""
	unanswered int      // number of runs that failed because there was no answer
}

func (e *loadSeries) choosePlan(kind string, o options.LoadOptions) error {
	sum := sha256.New()
	words := json.NewEncoder(sum)
	for _, l := range e.loads {
		seed := e.Dir.NextSeed(o.FirstSeed, o.Count,
			func(name string) bool { return name == l.Name })
		e.first = append(e.first, seed)
		if err := words.Encode([]any{l.plan, seed, o.Count}); err != nil {
			return err
		}
	}
	if kind != "attack" {
		return nil
	}
	return e.Dir.BeginRest(fmt.Sprintf("%d attacks, %x", e.Planned, sum.Sum(nil)[:6]),
		func(name string, seed uint64) bool {
			for i, l := range e.loads {
				if l.Name == name && seed-e.first[i] < uint64(o.Count) {
					return true
				}
			}
			return false
		})
}

// RunLoads interleaves the loads over the repetitions.
func RunLoads(
	ctx context.Context, h *execute.Host, kind, what string, loads []Load, o options.LoadOptions,
) error {
	if o.DryRun {
		for _, l := range loads {
			fmt.Fprintln(h.Stdout, l.Name)
		}
		return nil
	}
	begun, err := execute.BeginSuite(h, o.RunOptions, kind, what)
	if err != nil {
		return err
	}
	defer begun.Close()
	ctx, done := terminal.Interruptible(ctx, nil)
	defer done()
	if err := begun.Hold(o.Objectives); err != nil {
		return err
	}
	e := &loadSeries{Execution: begun, loads: loads, spreads: make([]spread, len(loads)),
		notes: make([]string, len(loads))}
	e.Planned = len(loads) * o.Count
	if err := e.choosePlan(kind, o); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	show := execute.NewLoads(e.Planned)
	writing := e.runAll(e.View.Begin(ctx, show.Plan, show.SetStatus), o, show)
	e.SetCut(ctx)
	writing = errors.Join(writing, e.noteFlatOut(), e.writePercentiles())
	mode, err := o.Mode()
	e.Finish(errors.Join(writing, e.Dir.End(e.Planned, e.Cut), err, e.keepFailures(mode)))
	shown := showLoaded(kind, what, e, o.Format)
	if e.Cut != nil && e.Done > 0 {
		e.Complain(fmt.Errorf("%s contains %d of %s: interrupted; the last may be cut off",
			e.Dir.Path(), e.Done, text.Count(e.Planned, "run")))
	}
	if !o.Quiet && o.Format != "json" {
		e.Warn(Suspects(e.Records))
	}
	told := execute.PublishSuite(e.cases(kind), o.JUnit, h.Printer)
	if e.unanswered > 0 && e.unanswered == len(e.Failed) {
		e.Discard()
	}
	return terminal.Ended(shown, append(e.codes(), told)...)
}

// The error of runAll concerns the directory.
func (e *loadSeries) runAll(ctx context.Context, o options.LoadOptions, all *execute.Loads) error {
	for i := range o.Count {
		for k, l := range e.loads {
			if ctx.Err() != nil {
				return nil
			}
			seed := e.first[k] + uint64(i)
			whole, before := e.Dir.Earlier(l.Name, seed)
			r, err := &attack.Report{Result: whole, Resumed: true}, error(nil)
			if whole == nil {
				show := execute.NewLoad(e.Stderr, o.Quiet, l.Row, l.Estimate)
				all.Next(show)
				r, err = l.runInto(ctx, LoadTurn{seed, before, show.Step}, e.Host, e.Dir)
				all.Next(nil)
				show.Close()
			}
			switch {
			case err != nil && ctx.Err() != nil:
				return nil
			case err != nil:
				if _, nobody := errors.AsType[*attack.NobodyError](err); nobody {
					e.unanswered++
				}
				e.Complain(err)
				if err := e.Fail(l.Name, seed, err); err != nil {
					return err
				}
				continue
			}
			id := execute.RunID{Name: r.Name, Seed: r.Seed}
			rec := execute.Record{Section: k, ID: id, Answers: r}
			if err := e.spreads[k].add(r.Result); err != nil {
				return err
			}
			err = e.Add(rec, r.Result, nil)
			if why := nothingCompleted(r); why != "" {
				e.Complain(fmt.Errorf("%s (seed %d): none of %d requests was completed: %s",
					r.Name, r.Seed, r.Tasks, why))
				e.Failed = append(e.Failed,
					rundir.Failure{Name: r.Name, Seed: r.Seed, Reason: why})
				e.NoneCompleted++
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// maxStalls is a ratio of the machine's p99 stall to the p99 response. Above it, a note for
// clients without a pause states how much of the response time is due to the machine.
const maxStalls = 0.1

// Clients without a pause use the processors fully. This is intended and no reason to doubt the
// results.
func (e *loadSeries) noteFlatOut() error {
	for k, l := range e.loads {
		for _, r := range e.section(k) {
			if l.flatOut == 0 || r.Answers == nil || e.notes[k] != "" {
				continue
			}
			stall, ok := r.Answers.Metric(metric.P99Hiccup)
			p99, known := r.Answers.Metric(metric.P99Response)
			if !ok || !known || stall < max(0.001, maxStalls*p99) {
				continue
			}
			e.notes[k] = fmt.Sprintf("%s without a pause keep the processors busy, as requested: "+
				"a ready thread waited %s or more for a processor (p99), and response times "+
				"include this wait", text.Count(l.flatOut, "client"), text.Seconds(stall))
			if err := e.Dir.AddAnswer(l.Row + ": " + e.notes[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func nothingCompleted(r *attack.Report) string {
	if rate, ok := r.Metric(metric.MeanResponse); ok && rate >= 0 || r.Cut != nil {
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

func NewLoad(k attack.Attack) Load {
	l := Load{Row: k.Target(), Name: k.Name(), Estimate: k.Duration}
	if k.Strategy.Spec.Name != "" {
		l.Row = k.Strategy.String()
	}
	if k.Clients == 0 && k.Tasks > 0 && k.Rate > 0 {
		l.Estimate = time.Duration(float64(k.Tasks) / k.Rate * float64(time.Second))
	}
	if k.Session != nil {
		l.steps = text.Texts(k.Session.Steps, func(s sessions.Step) string { return s.Name })
	}
	if k.FlatOut() {
		l.flatOut = k.Clients
	}
	l.urls = k.URLs()
	l.plan = k.Encode().WithoutSecrets()
	l.plan.Soak = true // a soak by itself and one by --soak have the same plan
	l.Run = func(ctx context.Context, t LoadTurn) (*attack.Report, error) {
		k.Seed, k.Before, k.Watch = t.Seed, t.before, t.Watch
		return attack.Run(ctx, k)
	}
	return l
}
