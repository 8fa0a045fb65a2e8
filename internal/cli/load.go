package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/reports/page"
)

// A load is one HTTP load to be put on, again and again: a row of the table.
type load struct {
	row      string
	name     string // of its results
	estimate time.Duration
	run      func(ctx context.Context, seed uint64, watch func(attack.Progress)) (*attack.Report,
		error)
}

// loadOptions are the flags that attack and gateway share: how often, and where to.
type loadOptions struct {
	dir    runOptions // out, force and append
	count  int
	seed   uint64
	dryRun bool
	quiet  bool
	format string
}

func (o *loadOptions) addTo(cmd *cobra.Command) {
	fs := cmd.Flags()
	o.count = 1
	fs.Var(atLeastOne{&o.count, mostRuns}, "count",
		"`N` repetitions; 6 give an interval, 10 a comparison (default 1)")
	fs.Uint64Var(&o.seed, "seed", 1, "seed `N` of the arrivals; repetition i uses seed+i")
	fs.StringVar(&o.dir.out, "out", "", "write to this `DIR` (default "+outRoot+"/DATE-TIME, and "+
		outRoot+"/latest points to it)")
	fs.BoolVar(&o.dir.force, "force", false, "replace the results in DIR")
	fs.BoolVar(&o.dir.append, "append", false,
		"add repetitions to the results in DIR, with the next seeds")
	fs.BoolVar(&o.dryRun, "dry-run", false, "say what would be sent, send nothing")
	choiceFlag(cmd, &o.format, "format", "what is printed", "text", "json")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress and no warnings of suspect results")
}

// A loaded is what has come of a series of loads.
type loaded struct {
	path    string
	planned int
	quiet   bool
	reports []*attack.Report
	rows    []row
	failed  []failure
	invalid int
	cut     error
}

// runLoads puts the loads on, interleaved over the repetitions, and shows what came of it.
func (a *app) runLoads(
	ctx context.Context, kind, heading string, loads []load, o loadOptions,
) error {
	if o.dryRun {
		for _, l := range loads {
			fmt.Fprintln(a.stdout, l.name)
		}
		return nil
	}
	ctx, done := interruptible(ctx, nil)
	defer done()
	dir, err := a.openDir(o.dir)
	if err != nil {
		return err
	}
	defer a.unlock(dir)
	e := &loaded{path: dir.Path(), planned: len(loads) * o.count, quiet: o.quiet}
	for _, l := range loads {
		e.rows = append(e.rows, row{strategy: l.row})
	}
	writing := a.putOn(ctx, e, loads, o, dir)
	if ctx.Err() != nil {
		e.cut = context.Cause(ctx)
	}
	writing = errors.Join(writing, dir.End(e.planned, e.cut))
	if writing == nil && len(e.reports) > 0 {
		writing = page.Write(e.path)
	}
	if writing != nil {
		a.complain(writing)
	}
	if err := a.showLoaded(kind, heading, e, o.format, writing == nil); err != nil &&
		!errors.Is(err, errStdout) {
		return err
	}
	return e.exitCode(writing)
}

// putOn runs the series into the directory. The error is about the directory.
func (a *app) putOn(
	ctx context.Context, e *loaded, loads []load, o loadOptions, dir *bench.Dir,
) error {
	first := make([]uint64, len(loads)) // seeds
	for k, l := range loads {
		first[k] = dir.NextSeed(o.seed, o.count, func(name string) bool { return name == l.name })
	}
	for i := range o.count {
		for k, l := range loads {
			if ctx.Err() != nil {
				return nil
			}
			seed := first[k] + uint64(i)
			show := a.newLoadProgress(l, o.quiet)
			r, err := l.run(ctx, seed, show.step)
			show.close()
			switch {
			case err != nil && ctx.Err() != nil:
				return nil
			case err != nil:
				a.complain(err)
				e.failed = append(e.failed, failure{l.name, seed, err.Error()})
				if err := dir.Fail(l.name, seed, err.Error()); err != nil {
					return err
				}
				continue
			}
			if why := invalid(r.Result); len(why) > 0 {
				e.invalid++
				a.complain(errors.New(strings.Join(why, "\n")))
			}
			if why := nothingCompleted(r); why != "" {
				a.complain(fmt.Errorf("%s (seed %d): not one of %d requests was completed: %s",
					r.Name, r.Seed, r.Tasks, why))
				e.failed = append(e.failed, failure{r.Name, r.Seed, why})
			}
			if err := dir.Write(r.Result); err != nil {
				return err
			}
			r.Readings, r.Timeline = nil, nil // they are on disk
			e.reports = append(e.reports, r)
			e.rows[k].results = append(e.rows[k].results, r.Result)
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
	for _, c := range counts {
		words = append(words, fmt.Sprintf("%s%s × %d", before, c.What, c.N))
	}
	return words
}

// exitCode is nil for fine.
func (e *loaded) exitCode(writing error) error {
	return ended(runCodes(e.cut, writing != nil || len(e.failed) > 0, e.invalid))
}
