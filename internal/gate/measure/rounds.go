package measure

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
)

func (g *gate) measure(ctx context.Context) (report *verdict.Report, err error) {
	all := g.all()
	pairs := make([]int, len(all))
	defer func() {
		planned := map[*journal]int{}
		for i, n := range pairs {
			planned[g.journalOf(i)] += n
		}
		mark := func(j *journal) string {
			if report != nil {
				return fmt.Sprintf("complete %d runs", j.runs)
			}
			why := "stopped by an error"
			if ctx.Err() != nil {
				why = "interrupted"
			}
			return fmt.Sprintf("partial %d of %d runs: %s", j.runs, max(planned[j], j.runs+1), why)
		}
		err = errors.Join(err, g.results.close(mark(g.results)), g.controls.close(mark(g.controls)))
		if err != nil {
			report = nil
		}
	}()
	for i := range pairs {
		if g.hopeless == "" || i < len(g.plan.Benchmarks) {
			pairs[i] = g.Judge.ScreenPairs
		}
	}
	if err := g.rounds(ctx, pairs); err != nil {
		return nil, err
	}
	s, err := g.screen()
	if err != nil {
		return nil, err
	}
	suspects := g.order(pairs, s.orders(all))
	if suspects > 0 {
		expected := slices.Clone(pairs)
		g.order(expected, s.expected(all))
		g.printf("after %[3]d pairs, %[1]d of %[2]d benchmarks look worse or better, or vary too "+
			"much: fresh pairs decide, %[4]s more", suspects, len(g.plan.Benchmarks), g.Judge.ScreenPairs,
			between(g.left(pairs), g.left(expected)))
	}
	if err := g.rounds(ctx, pairs); err != nil {
		return nil, err
	}
	for {
		fresh, err := s.more(all)
		if err != nil {
			return nil, err
		}
		before := slices.Clone(pairs)
		open := g.order(pairs, fresh)
		if slices.Equal(pairs, before) {
			return g.conclude(s)
		}
		if open > 0 {
			g.sayLook(suspects, open, before, pairs)
		}
		if err := g.rounds(ctx, pairs); err != nil {
			return nil, err
		}
	}
}

// order returns the number of benchmarks, without controls, that get more pairs.
func (g *gate) order(pairs, fresh []int) (benchmarks int) {
	for i, n := range fresh {
		if all := n + g.Judge.ScreenPairs; n > 0 && all > pairs[i] {
			pairs[i] = all
			if i < len(g.plan.Benchmarks) {
				benchmarks++
			}
		}
	}
	return benchmarks
}

func (g *gate) rounds(ctx context.Context, pairs []int) error {
	all := g.all()
	var todo []slot
	for round := range slices.Max(pairs) {
		var due []int
		for i, n := range pairs {
			if round < n {
				due = append(due, i)
			}
		}
		for _, at := range g.schedule.round(round, due) {
			if j, b := g.journalOf(at.benchmark), all[at.benchmark]; !j.has(*b, at.pair) {
				todo = append(todo, at)
			}
		}
	}
	if err := g.freshLayouts(ctx, todo); err != nil {
		return err
	}
	defer g.measured(time.Now())
	due := map[int]time.Duration{}
	plan := func(todo []slot) {
		for _, at := range todo {
			due[at.benchmark] = g.paces[at.benchmark].pair(at.pair >= g.Judge.ScreenPairs)
		}
	}
	plan(todo)
	shown := maps.Clone(due) // unit of the progress
	for _, at := range todo {
		g.watch.More(2, shown[at.benchmark]/2)
	}
	var speed meter
	for done, at := range todo {
		if at.pair == 1 && (done == 0 || todo[done-1].pair == 0) && g.hopeless == "" {
			g.sayForecast()
			plan(todo[done:])
			speed = meter{}
		}
		began := time.Now()
		rec, err := g.runner.pair(ctx, *all[at.benchmark], at)
		if err != nil {
			return err
		}
		took := time.Since(began)
		g.paces[at.benchmark].saw(took, at.pair >= g.Judge.ScreenPairs)
		if err := g.journalOf(at.benchmark).append(*all[at.benchmark], rec); err != nil {
			return err
		}
		g.watch.Ran(2, shown[at.benchmark]/2)
		if speed.add(due[at.benchmark], took) {
			g.printf("the machine is slower than forecast, by a factor of %.1f", speed.factor())
		}
	}
	return nil
}

func (g *gate) freshLayouts(ctx context.Context, todo []slot) error {
	defer g.watch.Doing("")
	layouts := map[string][]int{}
	for _, at := range todo {
		if at.benchmark < len(g.plan.Benchmarks) {
			of := g.plan.Benchmarks[at.benchmark].Package
			layouts[of] = append(layouts[of], at.layout)
		}
	}
	return buildFresh(ctx, g.runner.sides, g.schedule, layouts, func(done, all int) {
		g.watch.Doing(fmt.Sprintf("building test binaries for the fresh pairs, %d of %d", done,
			all))
	})
}

func (g *gate) journalOf(benchmark int) *journal {
	if benchmark < len(g.plan.Benchmarks) {
		return g.results
	}
	return g.controls
}

const (
	minProbes  = 6                // fewest pairs that can show that a machine is suitable
	probes     = 12               // pairs after which a machine can be hopeless
	probesTake = 15 * time.Second // after this time fewer pairs suffice, at least minProbes
)

// minSpread is the factor from a standard deviation of minProbes or more pairs to its lower 95 %
// confidence limit: √(5/χ²), with the 95 % quantile of χ² with 5 degrees of freedom.
const minSpread = 0.67

// probe measures the same work twice. A machine is hopeless if all fresh pairs together would not
// find the slower control, even at the lower confidence limit of the noise.
func (g *gate) probe(ctx context.Context) (hopeless string, err error) {
	defer g.measured(time.Now())
	g.watch.Doing("measuring the controls")
	defer g.watch.Doing("")
	control := controls[0]
	at := slot{seed: g.Seed >> 1}
	r := &runner{options: g.Options, guard: g.guard, expected: map[string]time.Duration{},
		paces: map[string]pace{}}
	if err := r.warmUp(ctx, &control, at, benchfmt.UnitMetadataMap{}); err != nil {
		return "", err
	}
	control.ScreenIterations = 0
	wanted := g.Judge
	wanted.Promise = ControlSlowdown
	const tests = 2 // of the slower control: see stopWhenFound
	fresh := max(g.Judge.FreshPairs, judge.MinPairs(wanted.Needed(tests)))
	enough := func(spread float64) bool {
		return wanted.PairsToFind(spread, tests) <= float64(fresh)
	}
	var changes []float64
	for began := time.Now(); ; at.pair++ {
		at.headFirst = at.pair%2 == 1
		rec, err := r.pair(ctx, control, at)
		if err != nil {
			return "", err
		}
		changes = append(changes,
			math.Log(rec.runs[head].tidy["sec/op"]/rec.runs[base].tidy["sec/op"]))
		n := len(changes)
		if n < minProbes {
			continue
		}
		spread := judge.Spread(changes)
		if enough(spread) {
			return "", nil
		}
		if n < probes && time.Since(began) < probesTake {
			continue
		}
		if spread *= minSpread; enough(spread) {
			return "", nil
		}
		return fmt.Sprintf("the machine is too busy: the same work, measured %d times as if it "+
				"were two revisions, scatters by %.0f%% or more; "+
				"to find %.4g%% more work would need %.0f fresh pairs, and there are %d", n,
				100*math.Expm1(spread), 100*ControlSlowdown, wanted.PairsToFind(spread, tests),
				fresh),
			nil
	}
}
