package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

// A Watch hears how far a gate is, one call at a time.
type Watch interface {
	Say(line string) // what a person who waits wants to know, once
	// a part without runs goes on, such as building: "" when it is over
	Doing(what string)
	More(runs int, each time.Duration) // so many more runs are to come, each of about that time
	Ran(runs int, each time.Duration)  // so many of them are done
}

// Gate measures and judges. When ctx ends it returns the cause; what was measured is in
// Options.Out, marked partial, and Options.Resume goes on with it. On a machine that is too busy
// for a verdict on times it judges allocations alone, and keeps no results. Nothing else of it
// stays: worktrees, binaries and processes are gone on every return. An error is what keeps the
// gate from a verdict, and is never to be taken for one; *UnfitError is that of benchmarks that
// cannot be compared.
func Gate(ctx context.Context, o Options, watch Watch) (report *verdict.Report, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	g := &gate{Options: o, watch: watch, begun: time.Now()}
	g.Metrics = nil
	for _, unit := range o.Metrics {
		_, tidied := benchunit.Tidy(1, unit)
		g.Metrics = append(g.Metrics, tidied)
	}
	if g.Out, err = filepath.Abs(o.Out); err != nil {
		return nil, err
	}
	if g.repository, err = openRepository(ctx, o.Dir); err != nil {
		return nil, err
	}
	if g.trees, err = newTrees(ctx, g.repository); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.trees.remove(), g.guard.close()) }()
	if g.guard, err = startGuard(o.Guard, g.repository.top, g.trees.dir); err != nil {
		return nil, err
	}
	g.repository.guard = g.guard
	closeOut, err := openOut(g.Out, o.Force, o.Beside)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeOut()) }()
	if err := g.prepare(ctx); err != nil {
		return nil, err
	}
	if g.hopeless != "" && !g.judgesAllocations() {
		// it ends before it measures any benchmark
		report := g.report()
		report.Unclear, report.Spent = []string{g.hopeless}, g.spent()
		return report, nil
	}
	if err := g.begin(ctx); err != nil {
		return nil, err
	}
	return g.measure(ctx)
}

// A gate is the state of one call of Gate.
type gate struct {
	Options
	watch      Watch
	repository *repository
	trees      *trees
	guard      *guard
	plan       *plan
	resumed    bool
	runner     *runner
	schedule   schedule
	units      benchfmt.UnitMetadataMap
	results    *journal
	controls   *journal
	notes      []string
	missing    []string // submodules that could not be checked out
	// why no time can be judged on this machine: then allocations alone are, and the results are in
	// the temporary directory; "" otherwise
	hopeless  string
	paces     []pace        // of all, controls included
	link      time.Duration // that the build of a test binary takes, of those built side by side
	begun     time.Time
	measuring time.Duration // so far
}

// measured ends what measuring began.
func (g *gate) measured(begun time.Time) { g.measuring += time.Since(begun) }

func (g *gate) say(format string, args ...any) { g.watch.Say(fmt.Sprintf(format, args...)) }

// all are the benchmarks and then the controls, by their number in slots.
func (g *gate) all() (all []*benchmark) {
	for i := range g.plan.Benchmarks {
		all = append(all, &g.plan.Benchmarks[i])
	}
	for i := range g.plan.Controls {
		all = append(all, &g.plan.Controls[i])
	}
	return all
}
