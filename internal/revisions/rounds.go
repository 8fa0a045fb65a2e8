package revisions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// measure runs the rounds of both stages, and judges.
func (g *gate) measure(ctx context.Context) (outcome *Outcome, err error) {
	planned := 0
	defer func() {
		mark := func(j *journal) string {
			if outcome != nil {
				return fmt.Sprintf("complete %d runs", j.runs)
			}
			why := "stopped by an error"
			if ctx.Err() != nil {
				why = "interrupted"
			}
			return fmt.Sprintf("partial %d of %d runs: %s", j.runs, max(planned, j.runs+1), why)
		}
		err = errors.Join(err, g.results.close(mark(g.results)), g.controls.close(mark(g.controls)))
		if err != nil {
			outcome = nil
		}
	}()
	all := g.all()
	every := make([]int, len(all))
	for i := range every {
		every[i] = i
	}
	screened := g.Judge.ScreenPairs
	planned = screened * len(g.plan.Benchmarks)
	if err := g.rounds(ctx, 0, screened, func(int) []int { return every }); err != nil {
		return nil, err
	}
	s, err := g.screen()
	if err != nil {
		return nil, err
	}
	first := s.orders(all)
	suspects, pairs := g.ordered(make([]int, len(all)), first)
	if planned += pairs; suspects > 0 {
		g.say("%d of %d benchmarks look worse after %d pairs, or scatter too much to tell: fresh pairs decide", suspects, len(g.plan.Benchmarks), screened)
	}
	if err := g.freshRounds(ctx, first); err != nil {
		return nil, err
	}
	fresh, err := s.more(all, first)
	if err != nil {
		return nil, err
	}
	open, pairs := g.ordered(first, fresh)
	if planned += pairs; suspects > 0 {
		g.say("half of the fresh pairs settle %d of them, %d get the others", suspects-open, open)
	}
	if err := g.freshRounds(ctx, fresh); err != nil {
		return nil, err
	}
	return g.conclude(s)
}

// ordered counts the benchmarks that are to have more fresh pairs than before, and those pairs; the controls are left out.
func (g *gate) ordered(before, now []int) (benchmarks, pairs int) {
	for i := range g.plan.Benchmarks {
		if more := now[i] - before[i]; more > 0 {
			benchmarks++
			pairs += more
		}
	}
	return benchmarks, pairs
}

// freshRounds runs fresh pairs until each benchmark has so many.
func (g *gate) freshRounds(ctx context.Context, fresh []int) error {
	if err := g.freshLayouts(ctx, fresh); err != nil {
		return err
	}
	return g.rounds(ctx, g.Judge.ScreenPairs, slices.Max(fresh), func(round int) (due []int) {
		for i, n := range fresh {
			if round < n {
				due = append(due, i)
			}
		}
		return due
	})
}

// freshLayouts builds what the fresh pairs of each benchmark are run with, and was not built before.
func (g *gate) freshLayouts(ctx context.Context, fresh []int) error {
	defer g.watch.Doing("")
	pairs := map[string]int{}
	for i, b := range g.plan.Benchmarks {
		pairs[b.Package] = max(pairs[b.Package], fresh[i])
	}
	return buildFresh(ctx, g.runner.sides, g.schedule, pairs, func(done, all int) {
		g.watch.Doing(fmt.Sprintf("building test binaries for the fresh pairs, %d of %d", done, all))
	})
}

// rounds runs so many rounds from that pair on, each of the benchmarks that of says, but for pairs that the journal has.
func (g *gate) rounds(ctx context.Context, from, rounds int, of func(round int) []int) error {
	defer g.measured(time.Now())
	all := g.all()
	var todo []slot
	for round := range rounds {
		for _, at := range g.schedule.round(from+round, of(round)) {
			if j, b := g.journalOf(at.benchmark), all[at.benchmark]; !j.has(*b, at.pair) {
				todo = append(todo, at)
			}
		}
	}
	each := g.BenchTime.Time + 10*time.Millisecond
	g.watch.More(2*len(todo), each)
	for _, at := range todo {
		rec, err := g.runner.pair(ctx, *all[at.benchmark], at)
		if err != nil {
			return err
		}
		if err := g.journalOf(at.benchmark).append(*all[at.benchmark], rec); err != nil {
			return err
		}
		g.watch.Ran(2, each)
	}
	return nil
}

func (g *gate) journalOf(benchmark int) *journal {
	if benchmark < len(g.plan.Benchmarks) {
		return g.results
	}
	return g.controls
}
