package studies

import (
	"fmt"
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

// The claim comes from a post on shedding under load (pattern: backpressure with channels). The
// post-mortem of a scraper claims the opposite: blocking sends lose nothing.
//
// A case is a producer. It meets the claim if bounded_queue_shed has at least 5 % more goodput than
// worker_pool. The recovery time grows with the length of the run, so larger sizes only add
// repetitions.
var _ = register(Study{
	Name: "backpressure",
	Question: "under overload, is it better to block or to shed, and how soon does the system " +
		"recover?",
	Claim:    "under overload it is better to shed than to block",
	Count:    [3]int{4, 12, 40},
	Budget:   4500 * time.Millisecond,
	Compared: slices.Concat(blocking, refusing),
	With:     each(func(_ Size, name string) []bench.Scenario { return overloadCells(name) }),
	Decides:  []string{metric.Goodput},
	Advice: evidence.Sentences{
		Holds:       "shed under overload, so completed tasks are in time",
		DoesNotHold: "block: shedding does not complete more tasks in time",
		Depends:     "shed if producers do not wait for an answer; block if they do",
	},
	Judge: judgeBackpressure,
	Draw:  []drawing{drawBackpressure, drawOutcomes},
})

var (
	blocking = []string{pooled, holding, "adaptive_aimd", "adaptive_gradient"}
	refusing = []string{shedding, "dispatcher_shed", "codel_lifo"}
)

const (
	overloadTasks = 5_000
	overloadQueue = 16 // slots, if the strategy has a queue: four mean services of work
	inTimeMost    = 100 * time.Millisecond
	overloadMean  = 10 * time.Millisecond
	overloadLoad  = 1.3 // the overload of the finding
	overloadGain  = 1.05
)

var overloadLoads = []float64{0.7, 0.9, 1, 1.1, overloadLoad, 1.6}

func overloadCell(name, producer string, load float64) bench.Scenario {
	sc := scenario(name, fmt.Sprintf("exponential:mean=%v", overloadMean),
		loadOf(producer, load), bench.Stop{Tasks: overloadTasks})
	sc.Deadline = inTimeMost
	if sc.Strategy.Spec.UsesQueue {
		sc.Queue = overloadQueue
	}
	return sc
}

type producer struct {
	name    string
	where   string // used in sentences
	process string
	load    float64
}

func (p producer) cell(name string) bench.Scenario { return overloadCell(name, p.process, p.load) }

// The swinging load is between 0.2 and 1.4, over two periods of 2500 tasks. The clients would offer
// 2.5 times the capacity if they did not wait.
var producers = []producer{
	{fmt.Sprintf("load %v", overloadLoad), fmt.Sprintf("at load %v", overloadLoad), "poisson",
		overloadLoad},
	{"swinging load", "under a load that goes up and down", "sine:period=7.8125s,amp=0.75", 0.8},
	{"32 clients", "with 32 clients", "closed:clients=32,think=exp(20ms)", 0},
}

func overloadCells(name string) []bench.Scenario {
	return append(overloadLoadsOf(name), producers[1].cell(name), producers[2].cell(name))
}

func overloadLoadsOf(name string) (cells []bench.Scenario) {
	for _, load := range overloadLoads {
		cells = append(cells, overloadCell(name, "poisson", load))
	}
	return cells
}

func judgeBackpressure(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "producer", More: []string{"block: lost", "late", "shed: lost", "late"},
		Number: "tasks in time, shed ÷ block", Format: evidence.Interval.Factor}
	for _, p := range producers {
		var more []string
		for _, name := range []string{pooled, shedding} {
			more = append(more, evidence.Short(m.LostShare(p.cell(name)), text.ShortShare),
				evidence.Short(evidence.Point(late(m, p.cell(name))), text.ShortShare))
		}
		r.AtLeast(p.name, m.Ratio(p.cell(shedding), p.cell(pooled), metric.Goodput), overloadGain,
			more...)
	}
	than := fmt.Sprintf("than blocking within %s", text.Duration(inTimeMost))
	f := r.Find(evidence.Sentences{
		Holds: "shedding completes more tasks " + than,
		DoesNotHold: fmt.Sprintf("shedding does not complete %s more tasks %s",
			text.ShortShare(overloadGain-1), than),
		Depends: "on the producer",
	}, fmt.Sprintf("whether shedding completes %s more tasks %s",
		text.ShortShare(overloadGain-1), than))
	if so, not := r.Pick(); f.Verdict == decide.Depends {
		f.Advice = fmt.Sprintf("shed for %s; for %s it gains nothing", evidence.Series(so),
			evidence.Series(not))
	}
	if b, s := producers[0].cell(pooled), producers[0].cell(shedding); m.Has(b) && m.Has(s) {
		recovery := func(sc bench.Scenario) string {
			return text.ShortSeconds(evidence.OfMedian(m.Recovery(sc)).Mid)
		}
		f.Add("time from the last due task to the last end of %d tasks at %s: %s with blocking, "+
			"%s with shedding", overloadTasks, producers[0].name, recovery(b), recovery(s))
	}
	return f
}

func late(m *evidence.Measured, sc bench.Scenario) float64 {
	return max(0, 1-m.LostShare(sc).Mid-m.InTime(sc).Mid)
}

func drawBackpressure(m *evidence.Measured) evidence.Figure {
	x := charts.Axis{Label: "load (1 is the capacity)", Name: "load",
		Marks: []float64{0.7, 1, 1.3, 1.6}}
	good := evidence.Plane("goodput", x, charts.Axis{Reach: []float64{0},
		Label: fmt.Sprintf("tasks completed within %s, per second", text.Duration(inTimeMost))})
	slow := evidence.Plane("p99 response", x, responses("of those completed"))
	behind := evidence.Plane("backlog when the overload ends", x,
		charts.Axis{Label: "last due to last end", Format: charts.Seconds, Reach: []float64{0}})
	for _, cells := range m.Sweeps(slices.Concat(blocking, refusing), overloadLoadsOf) {
		a := evidence.MedianCurve(m, overloadLoads, cells, metric.Goodput)
		good.Add(a)
		slow.Add(evidence.MedianCurve(m, overloadLoads, cells, p99Response))
		behind.Add(evidence.Curve(m.Named(cells[0]), overloadLoads, cells,
			func(sc bench.Scenario) evidence.Interval { return evidence.OfMedian(m.Recovery(sc)) }))
		if a.Name == shedding && len(a.X) > 0 {
			good.Add(overloadExact(a, func(a *theory.Answer) float64 {
				tail, _ := a.ResponseTail(inTimeMost.Seconds())
				return a.Throughput * (1 - tail)
			}))
			slow.Add(overloadExact(a, (*theory.Answer).P99))
		}
	}
	capacity := limit / overloadMean.Seconds()
	good.Levels = []charts.Level{{Name: fmt.Sprintf("capacity %v/s", capacity), Y: capacity}}
	slow.Levels = []charts.Level{{Name: "in time", Y: inTimeMost.Seconds()}}
	return evidence.Figure{
		Name:  "backpressure",
		Title: "Blocking and refusing, from below the capacity to past it",
		Subtitle: fmt.Sprintf("%d tasks of %s in an open load; %d workers, queues of %d", overloadTasks, text.Duration(overloadMean), limit,
			overloadQueue),
		Caption: []string{
			"Blocking such a producer only moves the queue to the producer, where it has no " +
				"limit. Response times include it.",
			fmt.Sprintf("Band: exact for %s (M/M/k/K).", shedding),
			m.Medians(overloadCells(pooled)),
		},
	}.Planes(good, slow, behind)
}

func overloadExact(beside charts.Series, of func(*theory.Answer) float64) charts.Series {
	mean := overloadMean.Seconds()
	return evidence.Exact(beside, evidence.Steps(0.7, 1.6, 0.05), func(load float64) float64 {
		return of(theory.Must(theory.MMkK(theory.Pool{Rate: load * limit / mean,
			MeanService: mean, Limit: limit}, overloadQueue)))
	})
}

func drawOutcomes(m *evidence.Measured) evidence.Figure {
	var stacks []charts.Stack
	for _, p := range producers {
		for i, name := range []string{pooled, shedding, "codel_lifo"} {
			if sc := p.cell(name); m.Has(sc) {
				stacks = append(stacks, charts.Stack{
					Name:  p.name + ": " + [...]string{"block", "shed", "shed the late"}[i],
					Parts: []float64{m.InTime(sc).Mid, late(m, sc), m.LostShare(sc).Mid}})
			}
		}
	}
	return evidence.Figure{
		Name:  "backpressure-outcomes",
		Title: "The outcome depends on the producer of the tasks",
		Subtitle: fmt.Sprintf("In time: a response time up to %s. Block: %s, shed: %s, shed late "+
			"tasks: codel_lifo", text.Duration(inTimeMost), pooled, shedding),
		Caption: []string{
			"Blocking slows down only clients that wait for their task before they send the next.",
			fmt.Sprintf("The means of %s repetitions.",
				m.Repetitions(overloadCells(pooled))),
		},
	}.Stacks("share of the tasks", stacks, func(j int) string {
		return [...]string{"in time", "late", "lost"}[j]
	})
}
