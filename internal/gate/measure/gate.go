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

type Watch interface {
	Println(line string)
	// Doing reports a part without runs, such as building; "" when it has ended.
	Doing(what string)
	More(runs int, each time.Duration) // adds planned runs with their approximate duration
	Ran(runs int, each time.Duration)  // reports finished runs
}

// If ctx ends, Gate returns the cause; Options.Out then contains the pairs measured so far, and
// Options.Resume continues with them. On a machine that is too busy for times it judges only
// allocations, and stores no results. An *UnfitError means that benchmarks cannot be compared.
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
		report := g.report()
		report.Unclear, report.Spent = []string{g.hopeless}, g.spent()
		return report, nil
	}
	if err := g.begin(ctx); err != nil {
		return nil, err
	}
	return g.measure(ctx)
}

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
	// If hopeless is not "", only allocations are judged, and the results are in the temporary
	// directory.
	hopeless  string
	paces     []pace        // of all benchmarks and controls
	link      time.Duration // build time of a test binary while several are built in parallel
	begun     time.Time
	measuring time.Duration
}

func (g *gate) measured(begun time.Time) { g.measuring += time.Since(begun) }

func (g *gate) printf(format string, args ...any) { g.watch.Println(fmt.Sprintf(format, args...)) }

func (g *gate) all() (all []*benchmark) {
	for i := range g.plan.Benchmarks {
		all = append(all, &g.plan.Benchmarks[i])
	}
	for i := range g.plan.Controls {
		all = append(all, &g.plan.Controls[i])
	}
	return all
}
