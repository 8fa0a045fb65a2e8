package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/peers"
)

// overhead gives every strategy, those of libraries included, a batch of tasks that hash a single block, next to nothing, and asks what each
// task took. Of the repetitions the shortest counts: what other programs do only makes a run longer. That time has in it what the harness
// takes for its records, so it is more than the strategy's cost; and the time less that of the cheapest strategy is less than it, for the cheapest
// pays the harness, too, and costs something itself. So a strategy is below a microsecond where the whole time is, and above where it is a microsecond more than
// the cheapest's; but above only by a run in which the threads waited for a processor for less than a fifth of the time, as other programs leave it.
//
// The claim holds where every strategy is below, and does not hold where at least half of them are above; it depends on the strategy where some are
// above, and is undecided where it is only between the two that some are, or where the machine was too busy to tell.
//
// Those that take a rate are given 10⁹ a second: their cost, not their limit. Left out are those that refuse whatever finds no place and have
// no queue (concurrency_limits): of a batch they refuse all but a few. Strategies that are never full have the whole batch under
// way at once, and pay for its memory; the others are given a queue that holds it.
var _ = register(Study{
	Name:     "overhead",
	Question: "what does each strategy cost per task, other people's libraries included?",
	Claim:    "the choice of the library matters little next to the work: every strategy costs less than a microsecond a task",
	Count:    [3]int{3, 10, 30},
	Cells:    func(size Size) []bench.Scenario { return overheadCells(size, everyDispatcher()) },
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		if !takesBatch(v.Spec) {
			return nil, fmt.Errorf("%s refuses what finds no place and has no queue: of a batch it refuses all but a few", v)
		}
		return overheadCells(size, []strategies.Variant{v}), nil
	},
	Judge: judgeOverhead,
	Draw: func(m *measured) ([]reports.Figure, error) {
		f, err := drawOverhead(m)
		if err != nil {
			return nil, err
		}
		return []reports.Figure{f}, nil
	},
})

const (
	overheadLimit = 8
	overheadRoom  = 32_768 // tasks: a batch and more
	microsecond   = 1e-6   // in seconds, as all times here
)

// overheadWork are the tasks that the cost is set against.
var overheadWork = []time.Duration{10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond}

func overheadCells(size Size, of []strategies.Variant) []bench.Scenario {
	return cross(bench.Matrix{
		Strategies: of,
		Workloads:  workload("cpu_sha256:blocks=1"),
		Arrivals:   arrival("batch"),
		Limits:     []int{overheadLimit},
		Queue:      overheadRoom,
		Stop:       bench.Stop{Tasks: [...]int{10_000, 20_000, 30_000}[size]},
		Seed:       1,
		Clock:      bench.Real,
	})
}

// takesBatch reports whether a strategy can do a batch that is larger than its limit.
func takesBatch(spec strategies.Spec) bool { return !spec.Sheds || spec.UsesQueue }

// everyDispatcher is all strategies that take a batch, at the highest rate where they take one.
func everyDispatcher() (all []strategies.Variant) {
	for _, spec := range peers.Known() {
		if !takesBatch(spec) {
			continue
		}
		var args []param.Arg
		for _, k := range spec.Keys {
			if k.Name == "rate" {
				args = append(args, param.Arg{Key: k.Name, Value: "1000000000"})
			}
		}
		v, err := spec.Variant(args)
		if err != nil {
			panic("studies: " + err.Error())
		}
		all = append(all, v)
	}
	return all
}

// A dispatchCost is what a strategy's task took in the shortest run, in the longest, and in the shortest of those that had the processors to
// themselves (infinite: none), and what it allocated.
type dispatchCost struct {
	name                   string
	cell                   bench.Scenario
	shortest, worst, alone float64
	allocs                 float64
}

// dispatchCosts are those of the strategies that were measured, the cheapest first, and the names of those of the study that were not.
func dispatchCosts(m *measured) (costs []dispatchCost, missing []string) {
	cells := overheadCells(Quick, everyDispatcher())
	var known []string
	for _, sc := range cells {
		known = append(known, sc.Strategy.String())
	}
	at := func(name string) bench.Scenario { return overheadCells(Quick, strategy(name))[0] }
	for _, name := range m.others(known, at) {
		cells = append(cells, at(name))
	}
	for _, sc := range cells {
		alone := math.Inf(1)
		took := m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 {
			if value(0, "shed/op") > 0 {
				return math.NaN() // what is refused costs less than what is done
			}
			time := 1 / value(0, "ops/s")
			if !(value(0, "cpu-wait") > handCrowd) { // nor where no system tells
				alone = min(alone, time)
			}
			return time
		})
		if len(took) == 0 {
			missing = append(missing, sc.Strategy.String())
			continue
		}
		costs = append(costs, dispatchCost{sc.Strategy.String(), sc, slices.Min(took), slices.Max(took), alone, best(m, sc, "allocs/op", slices.Min)})
	}
	slices.SortStableFunc(costs, func(a, b dispatchCost) int { return cmp.Compare(a.shortest, b.shortest) })
	return costs, missing
}

func judgeOverhead(m *measured) Finding {
	costs, missing := dispatchCosts(m)
	if len(missing) > 0 {
		return undecided("%d of %d strategies have no run that can be used: %s", len(missing), len(costs)+len(missing), strings.Join(missing, ", "))
	}
	cheapest, dearest := costs[0], costs[len(costs)-1]
	var below, open, above []string
	for _, c := range costs {
		switch said := fmt.Sprintf("%s (%s)", c.name, roughly(c.shortest)); {
		case c.shortest < microsecond:
			below = append(below, said)
		case c.shortest-cheapest.shortest >= microsecond && !math.IsInf(c.alone, 1):
			above = append(above, said)
		default:
			open = append(open, said)
		}
	}
	var f Finding
	all := len(costs)
	took := fmt.Sprintf("%d of %d strategies take less than a microsecond a task, harness included", len(below), all)
	switch {
	case len(below) == all:
		f = found(Holds, "%s; the dearest is %s with %s", took, dearest.name, roughly(dearest.shortest))
	case 2*len(above) >= all:
		f = found(DoesNotHold, "%s, and %d a microsecond more than the cheapest, %s", took, len(above), cheapest.name)
	case len(above) > 0:
		f = found(Depends, "on the strategy: %s, and %d a microsecond more than the cheapest, %s", took, len(above), cheapest.name)
	default:
		f = undecided("%s; of the others it cannot be told what is theirs, and what the harness's or that of other programs on the machine", took)
	}
	f.Lines = slices.DeleteFunc([]string{
		said(above, "above a microsecond"),
		said(open, "above with the harness, or with other programs in the way, and perhaps not without"),
	}, func(line string) bool { return line == "" })
	var shares []string
	for _, work := range overheadWork {
		shares = append(shares, fmt.Sprintf("%s of a task of %v", percent((dearest.shortest-cheapest.shortest)/work.Seconds()), work))
	}
	f.add("the cheapest takes %s a task with the harness (%s), the dearest %s (%s); the choice between them is %s", roughly(cheapest.shortest), cheapest.name,
		roughly(dearest.shortest), dearest.name, strings.Join(shares, ", "))
	var allocating []string
	for _, c := range costs {
		if c.allocs >= 1.5 { // with the harness, which has one where a batch is under way all at once
			allocating = append(allocating, fmt.Sprintf("%s (%s)", c.name, short(c.allocs)))
		}
	}
	if line := said(allocating, "allocations a task of the strategy's own, beside at most one of the harness"); line != "" {
		f.add("%s", line)
	}
	return f
}

func drawOverhead(m *measured) (f reports.Figure, err error) {
	costs, _ := dispatchCosts(m)
	if len(costs) == 0 {
		return f, &charts.EmptyError{Chart: "overhead"}
	}
	none := charts.RowValue{Mid: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	time := charts.RowPanel{
		Title:  "time a task, harness included",
		X:      charts.Axis{Label: "seconds (log scale)", Log: true, Format: charts.Seconds, Marks: []float64{2e-7, 5e-7, 1e-6, 2e-6, 5e-6, 1e-5}},
		Levels: []charts.Level{{Name: "a microsecond", Y: microsecond}},
	}
	allocs := charts.RowPanel{Title: "allocations a task", X: charts.Axis{Label: "heap objects, harness included"}}
	var rows []string
	for i, kind := range []string{"strategies of this project", "libraries"} {
		times, objects := charts.RowSeries{Name: kind, Style: i}, charts.RowSeries{Name: kind, Style: i}
		for _, c := range costs {
			if i == 0 {
				rows = append(rows, c.name)
			}
			if _, err := peers.Lookup(c.cell.Strategy.Spec.Name); (err == nil) != (i == 1) {
				times.Values, objects.Values = append(times.Values, none), append(objects.Values, none)
				continue
			}
			times.Values = append(times.Values, charts.RowValue{Mid: c.shortest, Lo: c.shortest, Hi: c.worst})
			objects.Values = append(objects.Values, charts.RowValue{Mid: c.allocs, Lo: math.NaN(), Hi: math.NaN()})
		}
		time.Series, allocs.Series = append(time.Series, times), append(allocs.Series, objects)
	}
	c, err := charts.Rows("What a strategy costs per task", rows, []charts.RowPanel{time, allocs})
	if err != nil {
		return f, err
	}
	c.Subtitle = fmt.Sprintf("A batch of tasks that do next to nothing, limit %d; real clock, this machine", overheadLimit)
	return reports.Figure{Name: "overhead-cost", Chart: c, Caption: strings.Join([]string{
		fmt.Sprintf("Markers: the shortest of %s repetitions; bars reach to the longest, which other programs on the machine made longer.", m.repetitions([]bench.Scenario{costs[0].cell})),
		"The harness takes the same of each, so that differences are the strategies' own.",
		fmt.Sprintf("A microsecond is %s of a task of %v.", percent(microsecond/overheadWork[0].Seconds()), overheadWork[0]),
	}, " ")}, nil
}
