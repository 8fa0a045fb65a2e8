package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
)

func (g *gate) prepare(ctx context.Context) (err error) {
	defer g.watch.Doing("")
	var revisions [2]revision
	g.watch.Doing("checking out")
	if revisions[base], err = g.repository.resolve(ctx, g.Base); err != nil {
		return err
	}
	if g.Head == "" {
		revisions[head], err = g.repository.snapshot(ctx, g.trees.dir, g.Out)
	} else {
		revisions[head], err = g.repository.resolve(ctx, g.Head)
	}
	if err != nil {
		return err
	}
	var tools [2]goTool
	var sides [2]*binaries
	for s, r := range revisions {
		if err := g.trees.checkOut(ctx, side(s), r); err != nil {
			return err
		}
		missing, err := g.repository.submodules(ctx, g.repository.snapshotEnv, r.Tree,
			g.trees.top(side(s)))
		if err != nil {
			return err
		}
		for _, line := range missing {
			g.missing = append(g.missing, fmt.Sprintf("%v: %s", side(s), line))
		}
		if err := g.setUp(ctx, side(s)); err != nil {
			return err
		}
		tools[s] = goTool{side(s), g.trees.module(side(s)), g.trees.temp, g.guard}
		if err := findGo(ctx, tools[s]); err != nil {
			return err
		}
		if err := tools[s].fixReplacements(ctx, g.trees.top(side(s)), g.repository.top); err != nil {
			return err
		}
		sides[s] = &binaries{tool: tools[s], args: g.Args,
			dir: filepath.Join(g.trees.dir, side(s).String()+".bin")}
		if sides[s].packages, err = tools[s].packages(ctx, g.Packages, g.Bench); err != nil {
			return g.hint(ctx, err)
		}
	}
	g.notes = append(g.notes, g.missing...)
	if len(sides[base].packages)+len(sides[head].packages) == 0 {
		return noneMatches(g.Options)
	}
	version, err := g.goVersion(ctx, tools)
	if err != nil {
		return err
	}
	now := &plan{Format: "poolbench gate plan", Version: planVersion, Base: revisions[base],
		Head:      revisions[head],
		Directory: g.repository.within, Settings: g.Options.Settings(version),
		Controls: controls, Judge: g.rule()}
	if err := g.resumePlan(now); err != nil {
		return err
	}
	if revisions[base].Tree == revisions[head].Tree {
		g.notes = append(g.notes, "base and head are the same, so all differences are noise")
	}
	g.schedule = schedule{seed: g.Seed, layouts: g.Layouts, screened: g.Judge.ScreenPairs}
	g.runner = &runner{options: g.Options, sides: sides, guard: g.guard, count: openInstructions,
		expected: map[string]time.Duration{}, paces: map[string]pace{}}
	built, err := buildFirst(ctx, sides, g.schedule, func(done, all int) {
		g.watch.Doing(fmt.Sprintf("building test binaries, %d of %d", done, all))
	})
	if err != nil {
		return g.hint(ctx, err)
	}
	g.schedule.layouts = built
	if built < g.Layouts {
		g.notes = append(g.notes, "the linker of this Go version knows no -randlayout: each side "+
			"has one layout, and where functions happen to lie counts as a change of some 1.5 % "+
			"more or less")
	}
	if g.resumed && built != g.plan.Layouts {
		return fmt.Errorf("%s: layouts: there were %d, and now there are %d", PlanFile,
			g.plan.Layouts, built)
	}
	g.plan.Layouts = built
	if !g.resumed {
		listed := 0
		found, err := listBoth(ctx, sides, g.Options, processors(), func() {
			listed++
			g.watch.Doing(fmt.Sprintf("running every benchmark once, %d of %d packages", listed,
				len(sides[base].packages)+len(sides[head].packages)))
		})
		if err == nil {
			err = found.lacks(g.Options, counts())
		}
		if err != nil {
			return err
		}
		g.plan.Benchmarks, g.plan.Skipped = found.benchmarks, found.skipped
		g.plan.Removed, g.plan.Added = found.unmatched[base], found.unmatched[head]
	}
	g.notes = append(g.notes, g.plan.Skipped...)
	g.schedule.names = text.Texts(slices.Concat(g.plan.Benchmarks, controls[:]), benchmark.String)
	// Report a benchmark that does not run before a machine that is too busy.
	if g.hopeless, err = g.probe(ctx); err != nil {
		return err
	}
	if g.hopeless != "" {
		return g.settleForAllocations()
	}
	if g.Force {
		if err := removeGate(g.Out); err != nil {
			return err
		}
	}
	began := time.Now()
	return buildOthers(ctx, sides, g.schedule, func(done, all int) {
		g.link = time.Since(began) / time.Duration(done)
		g.watch.Doing(fmt.Sprintf("building test binaries, %d of %d", done, all))
	})
}

func (g *gate) judgesAllocations() bool {
	return len(g.Metrics) == 0 || slices.ContainsFunc(g.Metrics, verdict.IsAllocation)
}

// settleForAllocations uses shorter runs with a single layout. The results go to the temporary
// directory, because a resumed gate must not find them in Out.
func (g *gate) settleForAllocations() error {
	g.printf("%s; only allocations have verdicts, not times", g.hopeless)
	g.resumed, g.schedule.layouts, g.runner.count = false, 1, nil
	if g.BenchTime.Iterations == 0 {
		g.BenchTime.Time = max(g.BenchTime.Time/4, time.Millisecond)
		g.runner.options.BenchTime = g.BenchTime
	}
	g.Out = filepath.Join(g.trees.dir, "allocations")
	return os.MkdirAll(g.Out, 0o700)
}

// The version of the base may differ from the head's, because go.mod can require one.
func (g *gate) goVersion(ctx context.Context, tools [2]goTool) (string, error) {
	var versions [2]string
	for s, tool := range tools {
		version, err := tool.run(ctx, "env", "GOVERSION")
		if err != nil {
			return "", err
		}
		versions[s] = strings.TrimSpace(version)
	}
	if versions[base] == versions[head] {
		return versions[head], nil
	}
	what := fmt.Sprintf("the base is built with %s, the head with %s",
		versions[base], versions[head])
	if !g.AllowEnvironment {
		return "", fmt.Errorf("%s: a change of the compiler would look like a change of the "+
			"program",
			what)
	}
	g.notes = append(g.notes, what)
	return versions[head], nil
}

func (g *gate) resumePlan(now *plan) error {
	g.plan = now
	if !g.Resume {
		return nil
	}
	before, err := readPlan(g.Out)
	if err != nil || before == nil { // killed before there was anything to keep; see begin
		return err
	}
	if g.AnyPairs {
		before.Judge.FreshPairs = now.Judge.FreshPairs
	}
	if what := before.differs(now); what != "" {
		return fmt.Errorf("%s belongs to another gate, which can only be replaced: %s", g.Out, what)
	}
	g.plan, g.resumed = before, true
	return nil
}

func (g *gate) begin(ctx context.Context) error {
	defer g.measured(time.Now())
	defer g.watch.Doing("")
	g.units = benchfmt.UnitMetadataMap{}
	all := g.all()
	if g.hopeless != "" {
		all = all[:len(g.plan.Benchmarks)]
	}
	for i, b := range all {
		g.watch.Doing(fmt.Sprintf("warming up, %d of %d benchmarks", i+1, len(all)))
		at := slot{benchmark: i, layout: 0, seed: g.schedule.draw("warm-up", i).Uint64() >> 1}
		if err := g.runner.warmUp(ctx, b, at, g.units); err != nil {
			return err
		}
		g.paces = append(g.paces, g.runner.paces[b.String()])
	}
	key := benchfmt.UnitMetadataKey{Unit: Instructions, Key: "better"}
	g.units[key] = &benchfmt.UnitMetadata{UnitMetadataKey: key,
		OrigUnit: Instructions, Value: "lower"}
	for _, name := range slices.Concat(resultFiles[:], controlFiles[:]) {
		if _, err := os.Stat(filepath.Join(g.Out, name)); err == nil && !g.resumed {
			return fmt.Errorf("%s: there is a %s, but no %s that identifies its gate",
				g.Out, name, PlanFile)
		}
	}
	if err := g.plan.write(g.Out); err != nil {
		return err
	}
	notes := [2]string{"base: " + g.plan.Base.String(), "head: " + g.plan.Head.String()}
	var err error
	if g.results, err = openJournal(g.Out, resultFiles, g.plan.Benchmarks, g.units,
		notes); err != nil {
		return err
	}
	if g.controls, err = openJournal(g.Out, controlFiles, g.plan.Controls[:],
		benchfmt.UnitMetadataMap{}, notes); err != nil {
		return errors.Join(err, g.results.close(""))
	}
	if g.resumed {
		g.printf("continuing after %d runs of each side", g.results.runs)
	}
	return nil
}
