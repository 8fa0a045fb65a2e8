package studies

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// A task fails after waiting a second for a connection (pattern: process a slice with bounded
// concurrency).
//
// The claim holds only if more than 1 % of the tasks are lost without a bound. A case is a
// limit. It meets the claim if at most one task in a thousand is lost with every bound.
var _ = register(Study{
	Name: "unbounded",
	Question: "if ten thousand tasks share a hundred connections, which losses does a limit " +
		"prevent?",
	Claim: "starting a goroutine for every task exhausts a small connection pool; a bound " +
		"does not",
	Count:  [3]int{2, 8, 20},
	Budget: 3500 * time.Millisecond,
	Cells: func(Size) []bench.Scenario {
		cells := append(unboundedCells(free, crowdConns),
			crowdOf(pooled)...)
		for _, name := range crowdBounds[1:] {
			cells = append(cells, unboundedCells(name, crowdConns, crowdLimits[:4]...)...)
		}
		cells = append(cells, unboundedCells(persistent, crowdConns, crowdConns, crowd)...)
		for _, conns := range crowdSizes {
			cells = append(cells, unboundedCells(free, conns)...)
			cells = append(cells, unboundedCells(pooled, conns, crowdConns)...)
		}
		return cells
	},
	With:    each(func(_ Size, name string) []bench.Scenario { return crowdOf(name) }),
	Decides: []string{metric.Makespan},
	Advice: evidence.Sentences{
		Holds:       "bound the goroutines",
		DoesNotHold: "a limit prevents no losses here",
		Depends:     "limit the goroutines, not far above the number of connections",
	},
	Judge: judgeUnbounded,
	Draw:  []drawing{drawUnbounded},
})

const (
	crowd      = 10_000
	crowdConns = 100
	crowdMean  = 50 * time.Millisecond
	// longest wait for a connection, and deadline of a task
	crowdWait  = time.Second
	persistent = "retry_in_place:attempts=100"
	crowdLost  = 0.01  // share of lost tasks above which a pool is exhausted
	crowdKept  = 0.001 // largest share of lost tasks with a bound that works
)

var (
	crowdBounds = []string{pooled, "semaphore", "errgroup_limit", "weighted_semaphore"}
	crowdLimits = []int{50, 100, 200, 1000, 2000, 4000, crowd}
	crowdSizes  = []int{25, 50, 100, 200, 400}
)

func unboundedCells(name string, conns int, limits ...int) []bench.Scenario {
	if len(limits) == 0 {
		limits = []int{crowdConns}
	}
	return lossy(bench.Matrix{
		Strategies: strategy(name),
		Workloads:  workload(fmt.Sprintf("exponential:mean=%v", crowdMean)),
		Targets:    target(fmt.Sprintf("conn_pool:conns=%d,timeout=%v", conns, crowdWait)),
		Arrivals:   arrival("batch"),
		Limits:     limits,
		Deadline:   crowdWait,
		Stop:       bench.Stop{Tasks: crowd},
		Clock:      bench.Virtual,
	})
}

func crowdOf(name string) []bench.Scenario {
	return unboundedCells(name, crowdConns, crowdLimits...)
}

const crowdMost = int(crowdConns * (1 + crowdWait/crowdMean))

func judgeUnbounded(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "bound", More: []string{"batch takes", "done in " +
		text.Duration(crowdWait), "per second", "attempts"}, Number: "tasks lost",
		Format: evidence.Interval.Share}
	more := func(sc bench.Scenario) []string {
		return []string{m.MedianText(sc, metric.Makespan, text.ShortSeconds),
			evidence.Short(m.InTime(sc), text.ShortShare),
			m.MedianText(sc, metric.Throughput, text.Short),
			m.MeanText(sc, metric.Attempts, func(v float64) string {
				return text.Short(evidence.Rounded(v))
			})}
	}
	none := unboundedCells(free, crowdConns)[0]
	without := m.LostShare(none)
	if math.IsNaN(without.Mid) {
		return evidence.Missing("unbounded was not measured")
	}
	for i, limit := range crowdLimits {
		worst := evidence.Interval{Mid: math.Inf(-1)}
		for j, bound := range crowdBounds {
			if lost := m.LostShare(crowdOf(bound)[i]); math.IsNaN(lost.Mid) && (j == 0 || i < 4) {
				return evidence.Missing("%s was not measured at limit %d", bound, limit)
			} else if lost.Mid > worst.Mid {
				worst = lost
			}
		}
		r.AtMost(fmt.Sprint(limit), worst, crowdKept, more(crowdOf(pooled)[i])...)
	}
	r.Show("no bound", without, more(none)...)
	again := unboundedCells(persistent, crowdConns, crowdConns, crowd)
	for i, name := range []string{fmt.Sprintf("%d, with retries", crowdConns),
		"no bound, with retries"} {
		if m.Has(again[i]) {
			r.Show(name, m.LostShare(again[i]), more(again[i])...)
		}
	}
	lost := fmt.Sprintf("without a bound %s of %d tasks are lost", text.ShortShare(without.Mid),
		crowd)
	f := r.Find(evidence.Sentences{
		Holds:       lost + "; with each bound next to none",
		DoesNotHold: lost + "; with each bound too many",
		Depends:     fmt.Sprintf("on the bound (%s)", lost),
	}, "how many tasks are lost with a bound")
	most := fmt.Sprintf("conns·(1 + timeout/E[S]), here %d", crowdMost)
	if f.Verdict == decide.Depends {
		f.Advice = "bound the goroutines at less than " + most
	}
	table := f.Table
	switch {
	case without.Hi <= crowdLost:
		f = evidence.NewFinding(decide.DoesNotHold, "the pool is not exhausted: %s", lost)
	case !(without.Lo > crowdLost):
		f = evidence.Missing("the repetitions vary too much to decide whether the pool is "+
			"exhausted: %s", lost)
	}
	f.Table = table
	f.Add("of about %s calls at once, the last call still gets a connection in time", most)
	f.Add("%s finish within %s of one another", evidence.Series(crowdBounds),
		text.ShortShare(crowdApart(m)))
	return f
}

// The bounds differ, because with more workers than connections the order of simultaneous calls
// depends on the scheduler.
func crowdApart(m *evidence.Measured) (most float64) {
	for i := range crowdLimits[:4] {
		for _, name := range crowdBounds[1:] {
			apart := m.MaxApart(crowdOf(name)[i], crowdOf(pooled)[i], metric.Makespan)
			most = evidence.Larger(apart, most)
		}
	}
	return most
}

func drawUnbounded(m *evidence.Measured) evidence.Figure {
	bounds := evidence.Log("bound", nil, 50, 200, 1000, 4000)
	bounds.Name = "bound"
	connections := evidence.Log("connections", nil, evidence.Floats(crowdSizes)...)
	connections.Name = "connections"
	lost := evidence.Plane("tasks lost", bounds, shares("share of the tasks", 0))
	finish := evidence.Plane("time to finish", bounds, charts.Axis{
		Label: "first due to last end", Format: charts.Seconds, Reach: []float64{0}})
	size := evidence.Plane(fmt.Sprintf("throughput of other pools, bound %d", crowdConns),
		connections, perSecond)
	names := append(slices.Clone(crowdBounds),
		m.Others(append([]string{free, persistent}, crowdBounds...),
			func(name string) bench.Scenario {
				return unboundedCells(name, crowdConns, crowdConns)[0]
			})...)
	for _, name := range names {
		cells := crowdOf(name)
		lost.Add(evidence.Curve(m.Named(cells[0]), crowdLimits, cells,
			func(sc bench.Scenario) evidence.Interval {
				return evidence.OfMedian(m.LostShares(sc))
			}))
		finish.Add(evidence.MedianCurve(m, crowdLimits, cells, metric.Makespan))
	}
	none := unboundedCells(free, crowdConns)[0]
	if !m.Has(none) || !m.Has(unboundedCells(pooled, crowdConns, crowdConns)[0]) {
		return evidence.Figure{}
	}
	lost.Levels = []charts.Level{{Name: "no bound", Y: m.LostShare(none).Mid}}
	finish.Levels = []charts.Level{{Name: "no bound", Y: m.Mean(none, metric.Makespan).Mid}}
	finish.Add(evidence.Exact(finish.Series[0], evidence.Floats(crowdLimits),
		func(limit float64) float64 {
			t, err := theory.BatchMakespan(crowd, crowdMean.Seconds(), min(int(limit), crowdConns))
			if err != nil || int(limit) > crowdMost { // lost tasks are not in the model
				return math.NaN()
			}
			return t
		}))
	for _, name := range []string{free, pooled} {
		var cells []bench.Scenario
		for _, conns := range crowdSizes {
			cells = append(cells, unboundedCells(name, conns, crowdConns)...)
		}
		size.Add(evidence.MedianCurve(m, crowdSizes, cells, metric.Throughput))
	}
	return evidence.Figure{
		Name:  "unbounded",
		Title: "A bound before a pool of connections: losses and total time",
		Subtitle: fmt.Sprintf("%d tasks of %s at once; a call waits at most %s for one of %d "+
			"connections", crowd, text.Duration(crowdMean), text.Duration(crowdWait),
			crowdConns),
		Caption: []string{
			fmt.Sprintf("Up to a bound of about conns·(1 + timeout/E[S]) = %d each call gets a "+
				"connection before its timeout; below the number of connections some are idle.",
				crowdMost),
			"Band: the exact mean makespan of a batch on min(bound, connections) slots.",
			m.Medians(crowdOf(pooled)),
		},
	}.Planes(lost, finish, size)
}
