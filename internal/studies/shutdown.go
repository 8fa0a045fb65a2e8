package studies

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// The claim (pattern: worker pool with graceful shutdown) holds if a deadline of thirty mean
// services saves at least 99 in 100 of the tasks abandoned without one in every case, does not hold
// if it saves less than half in each case, and depends on the pool's contents otherwise.
var _ = register(Study{
	Name:     "shutdown",
	Question: "how many tasks does a drain save at a shutdown, and how long must its deadline be?",
	Claim:    "drain on shutdown, don't just abandon work: give the workers the chance to finish",
	Count:    [3]int{4, 12, 40},
	Budget:   3 * time.Second,
	Cells: func(Size) (cells []bench.Scenario) {
		for _, c := range shutdownCases {
			cells = append(cells, c.cells()...)
		}
		for _, name := range shutdownOthers {
			cells = append(cells, shutdownOther(name))
		}
		return cells
	},
	With: each(func(_ Size, name string) []bench.Scenario {
		return []bench.Scenario{shutdownOther(name)}
	}),
	Decides: []string{metric.Abandoned},
	Advice: evidence.Sentences{
		Holds:       "give the workers a deadline to drain: it saves nearly all tasks of the pool",
		DoesNotHold: "limit the queue, or drain longer: this deadline saves few tasks",
		Depends: "give the drain as much time as the waiting tasks need (tasks ÷ throughput), or " +
			"limit the queue",
	},
	Judge: judgeShutdown,
	Draw:  []drawing{drawShutdown},
})

const (
	shutdownTasks    = 2000
	shutdownBatch    = 500
	shutdownMean     = 10 * time.Millisecond
	shutdownRoom     = 1000                // queue slots for all tasks
	shutdownDeadline = 30 * shutdownMean   // deadline of the verdict
	minDeadline      = 1 * time.Nanosecond // shortest possible deadline
	draining         = "draining_pool"
)

var (
	shutdownDeadlines = []time.Duration{minDeadline, 10 * time.Millisecond, 30 * time.Millisecond,
		100 * time.Millisecond, shutdownDeadline, 600 * time.Millisecond,
		time.Second, 3 * time.Second}
	shutdownOthers = []string{draining, pooled, "dispatcher", shedding, "codel_lifo",
		"semaphore", "errgroup_limit", "unbounded"}
)

type shutdownCase struct {
	name     string
	strategy string
	queue    int
	load     bench.Load
	tasks    int
}

var shutdownCases = []shutdownCase{
	{"load 0.8", draining, shutdownRoom, bench.Load{Relative: 0.8}, shutdownTasks},
	{"load 1.3, queue of 16 that sheds", shedding, 16, bench.Load{Relative: 1.3}, shutdownTasks},
	{"load 1.3, queue of 1000", draining, shutdownRoom, bench.Load{Relative: 1.3}, shutdownTasks},
	{"500 tasks at once", draining, shutdownRoom, bench.Load{Arrival: arrival("batch")[0]},
		shutdownBatch},
}

func (c shutdownCase) cell(deadline time.Duration) bench.Scenario {
	sc := scenario(c.strategy, fmt.Sprintf("exponential:mean=%v", shutdownMean), c.load,
		bench.Stop{Tasks: c.tasks})
	sc.Queue, sc.Drain = c.queue, deadline
	return sc
}

func (c shutdownCase) cells() (cells []bench.Scenario) {
	for _, deadline := range shutdownDeadlines {
		cells = append(cells, c.cell(deadline))
	}
	return cells
}

func shutdownOther(name string) bench.Scenario {
	c := shutdownCases[2]
	sc := c.cell(shutdownDeadline)
	if sc.Strategy = strategy(name)[0]; !sc.Strategy.Spec.UsesQueue {
		sc.Queue = 0
	}
	return sc
}

func abandonedTasks(m *evidence.Measured, sc bench.Scenario) evidence.Interval {
	return m.Mean(sc, metric.Abandoned).Times(float64(sc.Stop.Tasks))
}

// The times start at the last submit, which is the last due time if nothing blocks the producer.
func shutdownTimes(m *evidence.Measured, sc bench.Scenario) []float64 {
	if sc.Load.Relative == 0 { // all at once
		return m.Values(sc, metric.Makespan)
	}
	return m.Recovery(sc)
}

func judgeShutdown(m *evidence.Measured) decide.Finding {
	deadline := text.Duration(shutdownDeadline)
	r := evidence.Ruling{Of: "pool", More: []string{"tasks held", "to lose none", "drain"},
		Number: "saved by " + deadline, Format: evidence.Interval.Share}
	for _, c := range shutdownCases {
		held := abandonedTasks(m, c.cell(minDeadline)).Mid
		if held == 0 {
			return evidence.Missing("%s: the pool holds no task at the shutdown", c.name)
		}
		more := []string{text.Short(held), evidence.Dash, evidence.Dash}
		for _, deadline := range shutdownDeadlines {
			if sc := c.cell(deadline); abandonedTasks(m, sc).Mid == 0 {
				more[1] = text.Duration(deadline)
				more[2] = evidence.Short(evidence.OfMean(shutdownTimes(m, sc)), text.ShortSeconds)
				break
			}
		}
		r.AddCase(c.name, evidence.OfMean(m.Pairs(c.cell(minDeadline), c.cell(shutdownDeadline),
			func(now, then evidence.Run) float64 {
				return 1 - then(metric.Abandoned)/now(metric.Abandoned)
			})), 0.5, 0.99, more...)
	}
	f := r.Find(evidence.Sentences{
		Holds:       deadline + " to drain save nearly all tasks",
		DoesNotHold: deadline + " to drain save less than half of the tasks",
		Depends:     "on how many tasks the pool holds",
	}, "how many of the tasks held "+deadline+" to drain save")
	f.Add("the pool completes %s tasks a second, which limits the tasks that a deadline saves",
		text.Short(limit/shutdownMean.Seconds()))
	var others []string
	for _, cells := range m.Sweeps(shutdownOthers, func(name string) []bench.Scenario {
		return []bench.Scenario{shutdownOther(name)}
	}) {
		sc := cells[0]
		if !m.Has(sc) {
			continue
		}
		value := func(unit string) float64 { return m.Mean(sc, unit).Mid * shutdownTasks }
		of := fmt.Sprintf("%s %s", sc.Strategy, text.Short(value(metric.Abandoned)))
		if shed := value(metric.Shed); shed > 0 {
			of += fmt.Sprintf(" (and %s shed before)", text.Short(shed))
		}
		others = append(others, of)
	}
	f.AddLines(evidence.IfAny(others, "tasks abandoned %s after an overload of %d tasks, by strategy",
		deadline, shutdownTasks))
	return f
}

func drawShutdown(m *evidence.Measured) evidence.Figure {
	x := evidence.LogZero("deadline", "deadline of the drain", []float64{0, 0.01, 0.1, 1})
	x.Format = charts.Seconds
	lost := evidence.Plane("tasks abandoned", x,
		charts.Axis{Label: "tasks of those held", Reach: []float64{0}})
	took := evidence.Plane("how long the drain takes", x,
		charts.Axis{Label: "last due to last end", Format: charts.Seconds, Reach: []float64{0}})
	var at []float64
	for _, deadline := range shutdownDeadlines {
		at = append(at, deadline.Truncate(time.Millisecond).Seconds())
	}
	for i, c := range shutdownCases {
		s := charts.Series{Name: c.name, Style: i}
		lost.Add(evidence.Curve(s, at, c.cells(),
			func(sc bench.Scenario) evidence.Interval {
				return m.Median(sc, metric.Abandoned).Times(float64(sc.Stop.Tasks))
			}))
		took.Add(evidence.Curve(s, at, c.cells(),
			func(sc bench.Scenario) evidence.Interval {
				return evidence.OfMedian(shutdownTimes(m, sc))
			}))
	}
	lost.Add(evidence.Exact(lost.Series[3], []float64{0, 0.01, 0.02, 0.03,
		0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.85, 1, 1.1, 1.2, 1.3, 1.5, 2, 3},
		func(t float64) float64 {
			return theory.BatchLeft(shutdownBatch, shutdownMean.Seconds(), limit, t)
		}))
	return evidence.Figure{
		Name:  "shutdown",
		Title: "A drain saves the tasks that the pool can complete before the deadline",
		Subtitle: fmt.Sprintf("%d workers, tasks of %s: the pool completes %s a second",
			limit, text.Duration(shutdownMean), text.Short(limit/shutdownMean.Seconds())),
		Caption: []string{
			"At the left, all waiting tasks are abandoned at once. A pool that has finished " +
				"before its deadline does not wait for the deadline.",
			"The length of the queue decides how long the drain takes: bound the queue.",
			"Band: exact if the pool holds all tasks at the shutdown (a pure death process).",
			m.Medians([]bench.Scenario{shutdownCases[0].cell(shutdownDeadline)}),
		},
	}.Planes(lost, took)
}
