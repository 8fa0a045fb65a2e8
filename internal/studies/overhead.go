package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// The time per task includes the harness, so it is an upper bound of the strategy's cost. The
// difference from the cheapest strategy is a lower bound. A strategy meets the claim if its time is
// below a microsecond. It does not if the difference is above a microsecond in the undisturbed
// repetitions (see crowded).
//
// Strategies that shed nearly all of a batch are left out: those without a queue, or with a queue
// that grows with the limit. Strategies without a capacity run the whole batch at once, and pay for
// its memory.
var _ = register(Study{
	Name:     "overhead",
	Question: "what is the overhead per task of each strategy and each library?",
	Claim: "the choice of the library matters little: the overhead of every strategy is below a " +
		"microsecond per task",
	Count:  [3]int{3, 10, 30},
	Budget: 3500 * time.Millisecond,
	Cells:  func(size Size) []bench.Scenario { return overheadCells(size, dispatchers()...) },
	With: func(size Size, of ...string) []bench.Scenario {
		return overheadCells(size, strategy(of...)...)
	},
	Takes: func(v strategies.Variant) error {
		if !takesAll(v.Spec) {
			return fmt.Errorf("%s has no queue and refuses tasks if all slots are busy, so it "+
				"refuses most of a batch", v)
		}
		return nil
	},
	Decides: []string{metric.Throughput},
	Advice: evidence.Sentences{
		Holds: "choose a library for its features, not for its speed",
		DoesNotHold: "for short tasks, use the cheapest strategy, or hand over several tasks at " +
			"once",
		Depends: "if tasks last microseconds, compare the overhead; for longer tasks, any " +
			"library is fast enough",
	},
	Judge: judgeOverhead,
	Draw:  []drawing{drawOverhead},
})

const (
	overheadLimit = 8
	overheadRoom  = 32_768 // tasks: more than a batch
	microsecond   = 1e-6   // all times here are in seconds
)

var overheadWork = []time.Duration{10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond}

func overheadCells(size Size, of ...strategies.Variant) []bench.Scenario {
	return bench.Matrix{
		Strategies: of,
		Workloads:  workload("cpu_sha256:blocks=1"),
		Arrivals:   arrival("batch"),
		Limits:     []int{overheadLimit},
		Queue:      overheadRoom,
		Stop:       bench.Stop{Tasks: [...]int{10_000, 20_000, 30_000}[size]},
		Clock:      bench.Real,
	}.Product()
}

func dispatchers() []strategies.Variant {
	return acceptedStrategies(takesAll, map[string]string{"rate": "1000000000"})
}

type dispatchCost struct {
	name   string
	cell   bench.Scenario
	time   evidence.Interval
	allocs float64
}

func dispatchTime(r evidence.Run) float64 {
	if r(metric.Shed) > 0 {
		return math.NaN()
	}
	return 1 / r(metric.Throughput)
}

// The costs are ordered from the cheapest. missing lists the strategies that were not measured.
func dispatchCosts(m *evidence.Measured) (costs []dispatchCost, missing []string) {
	cells := overheadCells(Quick, dispatchers()...)
	at := func(name string) bench.Scenario { return overheadCells(Quick, strategy(name)...)[0] }
	for _, name := range m.Others(names(dispatchers()), at) {
		cells = append(cells, at(name))
	}
	for _, sc := range cells {
		took := m.Numbers(sc, dispatchTime)
		if len(took) == 0 {
			missing = append(missing, sc.Strategy.String())
			continue
		}
		costs = append(costs, dispatchCost{sc.Strategy.String(), sc, evidence.OfProduct(took),
			m.Lowest(sc, metric.AllocsPerOp)})
	}
	slices.SortStableFunc(costs, func(a, b dispatchCost) int {
		return cmp.Compare(a.time.Mid, b.time.Mid)
	})
	return costs, missing
}

// more returns the difference in the undisturbed repetitions.
func (c dispatchCost) more(m *evidence.Measured, than dispatchCost) evidence.Interval {
	return evidence.OfMean(m.Pairs(c.cell, than.cell, func(c, than evidence.Run) float64 {
		if c(metric.CPUWait) > crowded { // false for NaN, on systems without this metric
			return math.NaN()
		}
		return dispatchTime(c) - dispatchTime(than)
	}))
}

func judgeOverhead(m *evidence.Measured) decide.Finding {
	costs, missing := dispatchCosts(m)
	noRun := evidence.IfAny(evidence.Few(missing, 5), "%d of %d strategies have no run that can be used",
		len(missing), len(costs)+len(missing))
	if len(costs) == 0 {
		return evidence.Missing("%s", noRun)
	}
	cheapest, dearest := costs[0], costs[len(costs)-1]
	r := evidence.Ruling{Of: "strategy", More: []string{"above the cheapest", "allocations"},
		Number: "time per task, including poolbench itself", Format: func(in evidence.Interval) string {
			return in.Write(evidence.Roughly)
		}}
	for _, c := range costs {
		more := c.more(m, cheapest)
		r.Certain(c.name, c.time, c.time.Hi < microsecond, more.Lo >= microsecond,
			evidence.Short(more, evidence.Roughly), evidence.Short(evidence.Point(c.allocs), text.Short))
	}
	below, above := len(r.Meeting()), len(r.Not())
	for _, name := range missing {
		r.Cases = append(r.Cases, evidence.Case{Name: name, Number: evidence.OfMean(nil),
			More: []string{evidence.Dash, evidence.Dash}})
	}
	took := fmt.Sprintf("the overhead of %d of %d strategies is below a microsecond per task, "+
		"including poolbench itself",
		below, len(r.Cases))
	more := fmt.Sprintf("%d take at least a microsecond more than the cheapest, %s", above,
		cheapest.name)
	f := r.Find(evidence.Sentences{
		Holds:       took,
		DoesNotHold: more,
		Depends:     fmt.Sprintf("on the strategy: %s, and %s", took, more),
	}, "")
	switch f.Verdict {
	case decide.Depends:
		f.Because = fmt.Sprintf("on the strategy: %s, and %s", took, more)
	case decide.ClaimUndecided:
		f.Because = fmt.Sprintf("%s; for the other %d, noise of the machine prevents a decision", took,
			len(r.Open()))
	}
	evidence.Shorten(f.Table)
	var shares []string
	for _, work := range overheadWork {
		share := (dearest.time.Mid - cheapest.time.Mid) / work.Seconds()
		shares = append(shares, fmt.Sprintf("%s of a task of %s", text.ShortShare(share),
			text.Duration(work)))
	}
	f.AddLines(noRun)
	f.Add("the difference between the cheapest and the most expensive is %s", evidence.Series(shares))
	return f
}

func drawOverhead(m *evidence.Measured) evidence.Figure {
	costs, _ := dispatchCosts(m)
	if len(costs) == 0 {
		return evidence.Figure{}
	}
	panels := []charts.RowPanel{{
		Title:  "time per task, including poolbench itself",
		X:      evidence.Log("seconds", charts.Seconds, 2e-7, 5e-7, 1e-6, 2e-6, 5e-6, 1e-5),
		Levels: []charts.Level{{Name: "a microsecond", Y: microsecond}},
	}, {Title: "allocations a task", X: charts.Axis{Label: "heap objects, including poolbench " +
		"itself"}}}
	var rows []string
	for _, c := range costs {
		rows = append(rows, c.name)
	}
	for i, kind := range []string{"strategies of this project", "libraries"} {
		evidence.AddRows(panels, kind, i, len(costs), func(row int) []evidence.Interval {
			c := costs[row]
			if isPeer(c.cell.Strategy.Spec) != (i == 1) {
				return nil
			}
			return []evidence.Interval{c.time, evidence.Point(c.allocs)}
		})
	}
	return evidence.Figure{
		Name:  "overhead-cost",
		Title: "Cost of a strategy per task",
		Subtitle: fmt.Sprintf("A batch of tasks with almost no work, limit %d; real clock, this "+
			"machine", overheadLimit),
		Caption: []string{
			m.Means([]bench.Scenario{costs[0].cell}),
			"poolbench's own overhead is equal for all strategies. Differences are due to the " +
				"strategies and to other programs.",
			fmt.Sprintf("A microsecond is %s of a task of %s.",
				text.ShortShare(microsecond/overheadWork[0].Seconds()),
				text.Duration(overheadWork[0])),
		},
	}.Rows(rows, panels...)
}
