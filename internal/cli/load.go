package cli

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
	"github.com/poolbench/poolbench/bench/directory"
	"github.com/poolbench/poolbench/internal/cli/exit"
	"github.com/poolbench/poolbench/internal/cli/question"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/reports/results"
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
	ctx context.Context, t turn, h *host, dir *directory.Dir,
) (*attack.Report, error) {
	var progress bench.Progress
	asked := newAsking(&progress, h.firstPause)
	end := pace.Every(bench.PulseInterval, func() {
		if r := asked.hear(); r != nil {
			if err := dir.WriteSoFar(r); err != nil {
				h.Complain(err)
			}
		}
	})
	defer end()
	return l.run(bench.WithProgress(ctx, &progress), t)
}

// A loaded is what has come of a series of loads.
type loaded struct {
	*execution
	loads []load
	first []uint64 // seed of each
}

// settle settles the seeds, and names the plan of attacks in the directory.
func (e *loaded) settle(kind string, o question.LoadOptions) error {
	sum := sha256.New()
	words := json.NewEncoder(sum)
	for _, l := range e.loads {
		seed := e.dir.NextSeed(o.FirstSeed, o.Count,
			func(name string) bool { return name == l.name })
		e.first = append(e.first, seed)
		if err := words.Encode([]any{l.plan, seed, o.Count}); err != nil {
			return err
		}
	}
	if kind != "attack" {
		return nil
	}
	return e.dir.BeginRest(fmt.Sprintf("%d attacks, %x", e.planned, sum.Sum(nil)[:6]),
		func(name string, seed uint64) bool {
			for i, l := range e.loads {
				if l.name == name && seed-e.first[i] < uint64(o.Count) {
					return true
				}
			}
			return false
		})
}

// runLoads puts the loads on, interleaved over the repetitions, and shows what came of it, under a
// heading that says what it is.
func runLoads(
	ctx context.Context, h *host, kind, what string, loads []load, o question.LoadOptions,
) error {
	if o.DryRun {
		for _, l := range loads {
			fmt.Fprintln(h.Stdout, l.name)
		}
		return nil
	}
	begun, err := begin(h, o.RunOptions, what)
	if err != nil {
		return err
	}
	defer begun.close()
	ctx, done := interruptible(ctx, nil)
	defer done()
	if err := begun.hold(o.Objectives); err != nil {
		return err
	}
	e := &loaded{execution: begun, loads: loads}
	e.planned = len(loads) * o.Count
	if err := e.settle(kind, o); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	show := newLoads(e.planned)
	writing := e.putOn(e.view.begin(ctx, show.seen, show.tell), o, show)
	if ctx.Err() != nil {
		e.cut = context.Cause(ctx)
	}
	e.finish(errors.Join(writing, e.dir.End(e.planned, e.cut)))
	shown := showLoaded(kind, what, e, o.Format)
	if !o.Quiet && o.Format != "json" {
		e.Warn(suspects(e.records))
	}
	return exit.Ended(shown, e.codes()...)
}

// putOn runs the series into the directory. The error is about the directory.
func (e *loaded) putOn(ctx context.Context, o question.LoadOptions, all *loadsProgress) error {
	for i := range o.Count {
		for k, l := range e.loads {
			if ctx.Err() != nil {
				return nil
			}
			seed := e.first[k] + uint64(i)
			whole, before := e.dir.Held(l.name, seed)
			r, err := &attack.Report{Result: whole, Resumed: true}, error(nil)
			if whole == nil {
				show := newLoadProgress(e.Stderr, o.Quiet, l.row, l.estimate)
				all.next(show)
				r, err = l.runInto(ctx, turn{seed, before, show.step}, e.host, e.dir)
				all.next(nil)
				show.close()
			}
			switch {
			case err != nil && ctx.Err() != nil:
				return nil
			case err != nil:
				e.Complain(err)
				if err := e.fail(l.name, seed, err); err != nil {
					return err
				}
				continue
			}
			rec := record{section: k, id: runID{r.Name, r.Seed}, answers: r}
			err = e.take(rec, r.Result, nil)
			if why := nothingCompleted(r); why != "" {
				e.Complain(fmt.Errorf("%s (seed %d): not one of %d requests was completed: %s",
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

// newLoad makes a load of an attack.
func newLoad(k attack.Attack) load {
	l := load{row: k.Target(), name: k.Name(), estimate: k.Duration}
	if k.Strategy.Spec.Name != "" {
		l.row = k.Strategy.String()
	}
	if k.Clients == 0 && k.Tasks > 0 && k.Rate > 0 {
		l.estimate = time.Duration(float64(k.Tasks) / k.Rate * float64(time.Second))
	}
	l.plan = k.Written().WithoutSecrets()
	l.plan.Soak = true // whether it is one of itself or by --soak is no other plan
	l.run = func(ctx context.Context, t turn) (*attack.Report, error) {
		k.Seed, k.Before, k.Watch = t.seed, t.before, t.watch
		return attack.Run(ctx, k)
	}
	return l
}
