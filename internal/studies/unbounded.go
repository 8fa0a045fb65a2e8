package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// unbounded starts ten thousand tasks at once that each need one of a hundred connections, and are refused after waiting a second for it: the
// example that posts on bounded concurrency begin with (pattern: process a slice with bounded concurrency). Beside the bounds it tries no
// bound with retries, and pools of other sizes.
//
// The claim holds where more than one task in a hundred is lost without a bound, and with one at most one in a thousand, whatever the bound
// and the limit. It does not hold where no more than one in a hundred is lost without a bound, or more than one in a thousand with each. Else it depends on the limit.
var _ = register(Study{
	Name:     "unbounded",
	Question: "what does a bound buy, where ten thousand tasks share a hundred connections, and what does it not?",
	Claim:    "starting a goroutine for every task exhausts a small connection pool; a bound does not",
	Count:    [3]int{2, 8, 20},
	Cells: func(Size) []bench.Scenario {
		cells := append(unboundedCells("unbounded", crowdConns), unboundedCells(pooled, crowdConns, crowdLimits...)...)
		for _, name := range crowdBounds[1:] {
			cells = append(cells, unboundedCells(name, crowdConns, crowdLimits[:4]...)...)
		}
		cells = append(cells, unboundedCells(persistent, crowdConns, crowdConns, crowd)...)
		for _, conns := range crowdSizes {
			cells = append(cells, unboundedCells("unbounded", conns)...)
			cells = append(cells, unboundedCells(pooled, conns, crowdConns)...)
		}
		return cells
	},
	With: func(_ Size, v strategies.Variant) ([]bench.Scenario, error) {
		return unboundedCells(v.String(), crowdConns, crowdLimits...), nil
	},
	Judge: judgeUnbounded,
	Draw:  drawUnbounded,
})

const (
	crowd      = 10_000 // tasks at once
	crowdConns = 100
	crowdMean  = 50 * time.Millisecond // of a query
	crowdWait  = time.Second           // for a connection, then the call is refused; and what is in time
	persistent = "retry_in_place:attempts=100"
)

var (
	crowdBounds = []string{pooled, "semaphore", "errgroup_limit", "weighted_semaphore"}
	crowdLimits = []int{50, 100, 200, 1000, 2000, 4000, crowd}
	crowdSizes  = []int{25, 50, 100, 200, 400}
)

// unboundedCells are a strategy at these limits, or once where none counts.
func unboundedCells(name string, conns int, limits ...int) []bench.Scenario {
	if len(limits) == 0 {
		limits = []int{crowdConns}
	}
	return cross(bench.Matrix{
		Strategies: strategy(name),
		Workloads:  workload(fmt.Sprintf("exponential:mean=%v", crowdMean)),
		Targets:    target(fmt.Sprintf("conn_pool:conns=%d,timeout=%v", conns, crowdWait)),
		Arrivals:   arrival("batch"),
		Limits:     limits,
		Deadline:   crowdWait,
		Stop:       bench.Stop{Tasks: crowd},
		Seed:       1,
		Clock:      bench.Virtual,
	})
}

// lostShare is the mean of lostShares.
func lostShare(m *measured, sc bench.Scenario) interval { return ofMean(lostShares(m, sc)) }

// lostShares are the shares of the tasks that did not complete, whatever became of them, one a repetition.
func lostShares(m *measured, sc bench.Scenario) []float64 {
	return m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 {
		return value(0, "shed/op") + value(0, "throttled/op") + value(0, "failed/op") + value(0, "abandoned/op")
	})
}

// crowdMost is the highest limit at which, were all queries as long as their mean, the last in line had its connection when its time is over.
const crowdMost = int(crowdConns * (1 + crowdWait/crowdMean))

func judgeUnbounded(m *measured) Finding {
	free := unboundedCells("unbounded", crowdConns)[0]
	without := lostShare(m, free).mid
	if math.IsNaN(without) {
		return undecided("unbounded was not measured")
	}
	keeps, loses, most := []int{}, []int{}, 0.0
	for i, limit := range crowdLimits {
		worst := 0.0
		for j, name := range crowdBounds {
			if lost := lostShare(m, unboundedCells(name, crowdConns, crowdLimits...)[i]).mid; !math.IsNaN(lost) {
				worst = max(worst, lost)
			} else if j == 0 || i < 4 {
				return undecided("%s was not measured at limit %d", name, limit)
			}
		}
		if most = max(most, worst); worst <= 0.001 {
			keeps = append(keeps, limit)
		} else {
			loses = append(loses, limit)
		}
	}
	var f Finding
	switch {
	case without <= 0.01:
		f = found(DoesNotHold, "without a bound %s of %d tasks are lost: the pool is not exhausted", percent(without), crowd)
	case len(keeps) == 0:
		f = found(DoesNotHold, "without a bound %s of %d tasks are lost, with one at least as many as one in a thousand at each of %d limits", percent(without), crowd, len(loses))
	case len(loses) == 0:
		f = found(Holds, "without a bound %s of %d tasks are lost; with one, none worth the name at any of %d limits", percent(without), crowd, len(keeps))
	default:
		f = found(Depends, "on the limit: without a bound %s of %d tasks are lost, with one at most 0.1 %% up to limit %d, and up to %s from limit %d on; the line at the pool is patient up to about conns·(1 + timeout/E[S]) = %d",
			percent(without), crowd, slices.Max(keeps), percent(most), slices.Min(loses), crowdMost)
	}
	answerUnbounded(m, &f)
	return f
}

func answerUnbounded(m *measured, f *Finding) {
	free := unboundedCells("unbounded", crowdConns)[0]
	pool := unboundedCells(pooled, crowdConns, crowdLimits...)
	f.add("how the bound is written makes no difference: the times to finish of %s are within %s of one another", strings.Join(crowdBounds, ", "), percent(crowdApart(m)))
	small, equal, large := pool[0], pool[1], pool[3]
	f.add("it does not buy throughput: the connections complete %s tasks a second with a bound of %d, and %s without one until the last is refused after %s",
		short(m.mean(equal, "ops/s").mid), equal.Limit, short(m.mean(free, "ops/s").mid), charts.Seconds(m.mean(free, "makespan-sec").mid))
	f.add("nor does it buy time: within %v of being due, %s of the tasks are done with the bound, %s without; what the bound saves is done later, the last after %s",
		crowdWait, percent(inTime(m, equal).mid), percent(inTime(m, free).mid), charts.Seconds(m.mean(equal, "makespan-sec").mid))
	f.add("a bound below the pool costs: %d take %s to finish, %d and %d take %s and %s", small.Limit, charts.Seconds(m.mean(small, "makespan-sec").mid),
		equal.Limit, large.Limit, charts.Seconds(m.mean(equal, "makespan-sec").mid), charts.Seconds(m.mean(large, "makespan-sec").mid))
	if again := unboundedCells(persistent, crowdConns, crowdConns, crowd); m.has(again[0]) && m.has(again[1]) {
		f.add("trying again makes up for a bound, at a price: all at once with retries lose %s in %s and %s attempts a task; with a bound of %d it is %s in %s and %s",
			percent(lostShare(m, again[1]).mid), charts.Seconds(m.mean(again[1], "makespan-sec").mid), short(m.mean(again[1], "attempts/op").mid),
			crowdConns, percent(lostShare(m, again[0]).mid), charts.Seconds(m.mean(again[0], "makespan-sec").mid), short(m.mean(again[0], "attempts/op").mid))
	}
	var sizes []string
	for _, conns := range crowdSizes {
		bound, none := unboundedCells(pooled, conns, crowdConns)[0], unboundedCells("unbounded", conns)[0]
		if m.has(bound) && m.has(none) {
			sizes = append(sizes, fmt.Sprintf("%d: %s/s and %s lost", conns, short(m.mean(bound, "ops/s").mid), percent(lostShare(m, none).mid)))
		}
	}
	f.add("connections, throughput with a bound of %d, and loss without one: %s", crowdConns, strings.Join(sizes, "; "))
}

// crowdApart is by how much the ways to write the bound differ at most in when they finish, as a share: with more workers than connections
// it is the scheduler that settles who of those that come at one instant is first in line.
func crowdApart(m *measured) (most float64) {
	for i := range crowdLimits[:4] {
		for _, name := range crowdBounds[1:] {
			for _, r := range m.each([]bench.Scenario{unboundedCells(name, crowdConns, crowdLimits...)[i], unboundedCells(pooled, crowdConns, crowdLimits...)[i]},
				func(value func(int, string) float64) float64 {
					return value(0, "makespan-sec") / value(1, "makespan-sec")
				}) {
				most = max(most, math.Abs(r-1))
			}
		}
	}
	return most
}

func drawUnbounded(m *measured) ([]reports.Figure, error) {
	lost := charts.Plane{
		Panel: charts.Panel{Title: "tasks lost"},
		X:     charts.Axis{Label: "bound (log scale)", Log: true, Name: "bound", Marks: []float64{50, 200, 1000, 4000}},
		Y:     charts.Axis{Label: "share of the tasks", Format: percent, Reach: []float64{0}},
	}
	finish := charts.Plane{
		Panel: charts.Panel{Title: "time to finish"},
		X:     lost.X,
		Y:     charts.Axis{Label: "first due to last end", Format: charts.Seconds, Reach: []float64{0}},
	}
	size := charts.Plane{
		Panel: charts.Panel{Title: fmt.Sprintf("throughput of other pools, bound %d", crowdConns)},
		X:     charts.Axis{Label: "connections (log scale)", Log: true, Name: "connections", Marks: floats(crowdSizes)},
		Y:     charts.Axis{Label: "tasks completed a second", Reach: []float64{0}},
	}
	names := append(slices.Clone(crowdBounds), m.others(append([]string{"unbounded", persistent}, crowdBounds...), func(name string) bench.Scenario {
		return unboundedCells(name, crowdConns, crowdConns)[0]
	})...)
	for _, name := range names {
		share, last := charts.Series{Name: name}, charts.Series{Name: name}
		for _, sc := range unboundedCells(name, crowdConns, crowdLimits...) {
			if !m.has(sc) {
				continue
			}
			share.Style, last.Style = m.style(sc), m.style(sc)
			add(&share, float64(sc.Limit), ofMedian(lostShares(m, sc)))
			add(&last, float64(sc.Limit), ofMedian(m.values(sc, "makespan-sec")))
		}
		lost.Series, finish.Series = append(lost.Series, share), append(finish.Series, last)
	}
	free := unboundedCells("unbounded", crowdConns)[0]
	if !m.has(free) || !m.has(unboundedCells(pooled, crowdConns, crowdConns)[0]) {
		return nil, &charts.EmptyError{Chart: "unbounded"}
	}
	lost.Levels = []charts.Level{{Name: "no bound", Y: lostShare(m, free).mid}}
	finish.Levels = []charts.Level{{Name: "no bound", Y: m.mean(free, "makespan-sec").mid}}
	exact := charts.Series{Name: pooled, Style: finish.Series[0].Style, Theory: true}
	for _, limit := range crowdLimits {
		if limit > crowdMost {
			break // tasks are lost, which the formula does not know of
		}
		if t, err := theory.BatchMakespan(crowd, crowdMean.Seconds(), min(limit, crowdConns)); err == nil {
			exact.X, exact.Y = append(exact.X, float64(limit)), append(exact.Y, t)
		}
	}
	finish.Series = append(finish.Series, exact)
	for _, name := range []string{"unbounded", pooled} {
		s := charts.Series{Name: name}
		for _, conns := range crowdSizes {
			if sc := unboundedCells(name, conns, crowdConns)[0]; m.has(sc) {
				s.Style = m.style(sc)
				add(&s, float64(conns), ofMedian(m.values(sc, "ops/s")))
			}
		}
		size.Series = append(size.Series, s)
	}
	c, err := charts.Planes("A bound keeps the line short enough for the pool's patience, and makes nothing faster", []charts.Plane{lost, finish, size})
	if err != nil {
		return nil, err
	}
	c.Subtitle = fmt.Sprintf("%d tasks of %v at once; %d connections, for one of which a call waits at most %v", crowd, crowdMean, crowdConns, crowdWait)
	return []reports.Figure{{Name: "unbounded", Chart: c, Caption: strings.Join([]string{
		fmt.Sprintf("Up to a bound of about conns·(1 + timeout/E[S]) = %d the line at the pool moves fast enough, and nothing is lost; below the number of connections some stand idle.", crowdMost),
		"No bound is finished soonest because most of the tasks were refused: the connections serve as many a second as with one.",
		fmt.Sprintf("Band: the exact mean makespan of a batch on min(bound, connections) places. Points: the median of %s repetitions with the interval between two of them that holds it with 95 %%, of fewer than six between the least and the greatest.",
			m.repetitions(unboundedCells(pooled, crowdConns, crowdLimits...))),
	}, " ")}}, nil
}

// floats are whole numbers for an axis.
func floats(whole []int) (out []float64) {
	for _, v := range whole {
		out = append(out, float64(v))
	}
	return out
}
