package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// shutdown ends a pool of four workers when the last task has been submitted, gives it some time to finish what it has accepted, and counts what is abandoned
// then. The claim is the advice of posts on bounded concurrency (pattern: worker pool with graceful shutdown).
//
// A deadline saves the share of what is abandoned without one. The claim holds where thirty mean services save at least 99 in 100 tasks, whatever the pool held;
// it does not hold where they save less than half in each case; else it depends on what was held. Every strategy here drains as the contract
// has it, so they differ in nothing but what they have accepted: a producer that is kept waiting still has its tasks when the pool goes.
var _ = register(Study{
	Name:     "shutdown",
	Question: "how much does draining save at a shutdown, and how long a deadline does that take?",
	Claim:    "drain on shutdown, don't just abandon work: give the workers the chance to finish",
	Count:    [3]int{4, 12, 40},
	Cells: func(Size) (cells []bench.Scenario) {
		for _, c := range shutdownCases {
			for _, deadline := range shutdownDeadlines {
				cells = append(cells, c.cell(deadline))
			}
		}
		for _, name := range shutdownOthers {
			cells = append(cells, shutdownOther(strategy(name)[0]))
		}
		return cells
	},
	With: func(_ Size, v strategies.Variant) ([]bench.Scenario, error) {
		return []bench.Scenario{shutdownOther(v)}, nil
	},
	Judge: judgeShutdown,
	Draw:  drawShutdown,
})

const (
	shutdownTasks    = 2000
	shutdownBatch    = 500
	shutdownMean     = 10 * time.Millisecond
	shutdownRoom     = 1000                // places of a queue that holds whatever comes
	shutdownDeadline = 30 * shutdownMean   // that the verdict is on
	atOnce           = 1 * time.Nanosecond // the shortest deadline there is
	draining         = "draining_pool"
)

var (
	shutdownDeadlines = []time.Duration{atOnce, 10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, shutdownDeadline, 600 * time.Millisecond, time.Second, 3 * time.Second}
	shutdownOthers    = []string{draining, pooled, "dispatcher", shedding, "codel_lifo", "semaphore", "errgroup_limit", "unbounded"}
)

// A shutdownCase is what a pool holds when its end comes.
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
	{"500 tasks at once", draining, shutdownRoom, bench.Load{Arrival: arrival("batch")[0]}, shutdownBatch},
}

func (c shutdownCase) cell(deadline time.Duration) bench.Scenario {
	return bench.Scenario{
		Strategy: strategy(c.strategy)[0],
		Limit:    limit,
		Queue:    c.queue,
		Workload: workload(fmt.Sprintf("exponential:mean=%v", shutdownMean))[0],
		Load:     c.load,
		Stop:     bench.Stop{Tasks: c.tasks},
		Drain:    deadline,
		Seed:     1,
		Clock:    bench.Virtual,
	}
}

// shutdownOther is any strategy at the end of an overload, with a queue for all of it if it has one.
func shutdownOther(v strategies.Variant) bench.Scenario {
	c := shutdownCases[2]
	sc := c.cell(shutdownDeadline)
	if sc.Strategy = v; !v.Spec.UsesQueue {
		sc.Queue = 0
	}
	return sc
}

// abandonedTasks is how many tasks are abandoned, of all that were offered.
func abandonedTasks(m *measured, sc bench.Scenario) interval {
	return m.mean(sc, "abandoned/op").times(float64(sc.Stop.Tasks))
}

// shutdownTimes are how long the end takes, in each repetition: from the last submit, which is the last due where nothing keeps the producer waiting.
func shutdownTimes(m *measured, sc bench.Scenario) []float64 {
	if sc.Load.Relative == 0 { // all at once
		return m.values(sc, "makespan-sec")
	}
	return recovery(m, sc)
}

func judgeShutdown(m *measured) Finding {
	least, most, little, much := math.Inf(1), math.Inf(-1), "", ""
	var said, lines []string
	for _, c := range shutdownCases {
		now, then := abandonedTasks(m, c.cell(atOnce)).mid, abandonedTasks(m, c.cell(shutdownDeadline)).mid
		if math.IsNaN(now) || math.IsNaN(then) {
			return undecided("%s was not measured with both no time to drain and %v", c.name, shutdownDeadline)
		}
		if now == 0 {
			return undecided("%s: nothing is held when the end comes", c.name)
		}
		saved := 1 - then/now
		of := fmt.Sprintf("%s of %s tasks (%s)", percent(saved), short(now), c.name)
		if saved < least {
			least, little = saved, of
		}
		if saved > most {
			most, much = saved, of
		}
		said = append(said, of)
		for _, deadline := range shutdownDeadlines {
			if abandonedTasks(m, c.cell(deadline)).mid == 0 {
				lines = append(lines, fmt.Sprintf("%s: nothing is abandoned with %v, and the end takes %s", c.name, deadline, charts.Seconds(ofMean(shutdownTimes(m, c.cell(deadline))).mid)))
				break
			}
		}
	}
	because := fmt.Sprintf("%v to drain save at least %s, at most %s", shutdownDeadline, little, much)
	var f Finding
	switch {
	case least >= 0.99:
		f = found(Holds, "%s", because)
	case most < 0.5:
		f = found(DoesNotHold, "%s", because)
	default:
		f = found(Depends, "on how much is held: %s; a deadline saves as much as is done until then, %s tasks a second", because, short(limit/shutdownMean.Seconds()))
	}
	f.add("%v to drain save %s", shutdownDeadline, strings.Join(said, ", "))
	f.Lines = append(f.Lines, lines...)
	f.add("a deadline that is longer than it takes costs nothing: the pool ends with its last task")
	var others []string
	for _, name := range shutdownNames(m) {
		sc := shutdownOther(strategy(name)[0])
		value := func(unit string) float64 { return m.mean(sc, unit).mid * shutdownTasks }
		of := fmt.Sprintf("%s %s", name, short(value("abandoned/op")))
		if shed := value("shed/op"); shed > 0 {
			of += fmt.Sprintf(" (and %s shed before)", short(shed))
		}
		others = append(others, of)
	}
	f.add("tasks abandoned at the end of an overload of %d tasks, after %v: %s", shutdownTasks, shutdownDeadline, strings.Join(others, ", "))
	f.add("what has no queue makes the producer wait, and has accepted no more than its limit")
	return f
}

// shutdownNames are the strategies that were run at the end of an overload.
func shutdownNames(m *measured) (names []string) {
	for _, name := range append(slices.Clone(shutdownOthers), m.others(shutdownOthers, func(name string) bench.Scenario { return shutdownOther(strategy(name)[0]) })...) {
		if m.has(shutdownOther(strategy(name)[0])) {
			names = append(names, name)
		}
	}
	return names
}

func drawShutdown(m *measured) ([]reports.Figure, error) {
	x := charts.Axis{Label: "deadline of the drain (log scale)", Log: true, Zero: true, Format: charts.Seconds, Name: "deadline", Marks: []float64{0, 0.01, 0.1, 1}}
	lost := charts.Plane{Panel: charts.Panel{Title: "tasks abandoned"}, X: x, Y: charts.Axis{Label: "tasks of those held", Reach: []float64{0}}}
	took := charts.Plane{Panel: charts.Panel{Title: "how long the end takes"}, X: x, Y: charts.Axis{Label: "last due to last end", Format: charts.Seconds, Reach: []float64{0}}}
	any := false
	for i, c := range shutdownCases {
		a, b := charts.Series{Name: c.name, Style: i}, charts.Series{Name: c.name, Style: i}
		for _, deadline := range shutdownDeadlines {
			sc := c.cell(deadline)
			if !m.has(sc) {
				continue
			}
			at := deadline.Seconds()
			if deadline == atOnce {
				at = 0
			}
			add(&a, at, ofMedian(m.values(sc, "abandoned/op")).times(float64(sc.Stop.Tasks)))
			add(&b, at, ofMedian(shutdownTimes(m, sc)))
			any = true
		}
		lost.Series, took.Series = append(lost.Series, a), append(took.Series, b)
	}
	if !any {
		return nil, &charts.EmptyError{Chart: "shutdown"}
	}
	exact := charts.Series{Name: shutdownCases[3].name, Style: 3, Theory: true}
	for _, t := range []float64{0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.85, 1, 1.1, 1.2, 1.3, 1.5, 2, 3} {
		exact.X, exact.Y = append(exact.X, t), append(exact.Y, leftAfter(shutdownBatch, limit, t/shutdownMean.Seconds()))
	}
	lost.Series = append(lost.Series, exact)
	c, err := charts.Planes("A drain saves what is done before its deadline: hold no more than that", []charts.Plane{lost, took})
	if err != nil {
		return nil, err
	}
	c.Subtitle = fmt.Sprintf("%d workers, tasks of %v: %v of them are done in a second", limit, shutdownMean, limit/shutdownMean.Seconds())
	return []reports.Figure{{Name: "shutdown", Chart: c, Caption: strings.Join([]string{
		"To abandon at once, at the left, loses all that is held. A deadline costs no more time than it takes to finish.",
		"How long that is the queue decides, which is decided long before the shutdown.",
		"Band: exact for tasks that are all held when the end comes (a pure death process).",
		fmt.Sprintf("Points: the median of %s repetitions with the interval between two of them that holds it with 95 %%, of fewer than six between the least and the greatest.", m.repetitions([]bench.Scenario{shutdownCases[0].cell(shutdownDeadline)})),
	}, " ")}}, nil
}

// leftAfter is the mean number of n tasks that k workers have not done after t mean services, for exponential task times and k ≤ n: a pure death
// process, uniformised at rate k. While all workers are busy each jump is an end; with i < k tasks left, i in k of them are.
func leftAfter(n, k int, t float64) (mean float64) {
	states := make([]float64, n+1) // their probabilities after so many jumps
	states[n] = 1
	jumps := float64(k) * t
	for j := 0.0; j <= jumps+12*math.Sqrt(jumps)+20; j++ {
		weight := 1.0 // of so many jumps
		if jumps > 0 {
			log, _ := math.Lgamma(j + 1)
			weight = math.Exp(j*math.Log(jumps) - jumps - log)
		} else if j > 0 {
			break
		}
		for i, p := range states {
			mean += weight * p * float64(i)
		}
		for i := range n {
			states[i] = states[i]*(1-min(float64(i)/float64(k), 1)) + states[i+1]*min(float64(i+1)/float64(k), 1)
		}
		states[n] = 0
	}
	return mean
}
