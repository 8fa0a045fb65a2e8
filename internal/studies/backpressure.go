package studies

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// backpressure offers four workers more than they can do, and holds those that make the producer wait against those that refuse. The claim is a post's on
// discarding under pressure (pattern: backpressure with channels); a scraper's post-mortem claims the reverse, that blocking sends lose nothing.
//
// There are three producers: one that heeds nothing, at several loads; a wave of it, which is an overload and then the time to make up for it; and a
// fixed number of clients, each of which waits for its task. The claim holds where bounded_queue_shed has at least 5 % more goodput than worker_pool in
// each case in which more comes than can be done, does not hold where in none, and else depends on which.
//
// How long it takes until all is as before is the makespan less the last due: when an overload ends and nothing else comes, the workers are behind for so
// long; at a load ρ it would be 1/(1 − ρ) of that. So the runs are the same at every size, and only their repetitions grow.
var _ = register(Study{
	Name:     "backpressure",
	Question: "is it better to block or to shed when more comes than can be done, and how soon is all as before?",
	Claim:    "under overload it is better to shed than to block",
	Count:    [3]int{2, 8, 30},
	Cells: func(Size) (cells []bench.Scenario) {
		for _, name := range append(append([]string{}, blocking...), refusing...) {
			cells = append(cells, pressedCells(strategy(name)[0])...)
		}
		return cells
	},
	With:  func(_ Size, v strategies.Variant) ([]bench.Scenario, error) { return pressedCells(v), nil },
	Judge: judgeBackpressure,
	Draw: func(m *measured) ([]reports.Figure, error) {
		over, err := drawPressed(m)
		if err != nil {
			return nil, err
		}
		fates, err := drawFates(m)
		if err != nil {
			return nil, err
		}
		return []reports.Figure{over, fates}, nil
	},
})

var (
	blocking = []string{pooled, holding, "adaptive_aimd", "adaptive_gradient"}
	refusing = []string{shedding, "dispatcher_shed", "codel_lifo"}
)

const (
	pressedTasks = 12_000
	pressedQueue = 16 // places, of those that have a queue: four mean services of work
	inTimeMost   = 100 * time.Millisecond
	pressedMean  = 10 * time.Millisecond
	pressedLoad  = 1.3 // the overload that is told of
)

var pressedLoads = []float64{0.7, 0.9, 1, 1.1, pressedLoad, 1.6}

// pressed is a strategy against a producer.
func pressed(v strategies.Variant, producer arrivals.Variant, load float64) bench.Scenario {
	sc := bench.Scenario{
		Strategy: v,
		Limit:    limit,
		Workload: workload(fmt.Sprintf("exponential:mean=%v", pressedMean))[0],
		Load:     bench.Load{Arrival: producer, Relative: load},
		Deadline: inTimeMost,
		Stop:     bench.Stop{Tasks: pressedTasks},
		Seed:     1,
		Clock:    bench.Virtual,
	}
	if v.Spec.UsesQueue {
		sc.Queue = pressedQueue
	}
	return sc
}

// A producer is who offers the work of a case.
type producer struct {
	name string
	cell func(v strategies.Variant) bench.Scenario
}

// producers are those of the three cases. The wave swings from 0.2 to 1.4 of the capacity, over two periods of 6000 tasks; 32 clients that think for 20 ms
// would ask for two and a half times the capacity, were they never kept waiting.
var producers = []producer{
	{fmt.Sprintf("load %v", pressedLoad), func(v strategies.Variant) bench.Scenario { return pressed(v, arrival("poisson")[0], pressedLoad) }},
	{"a wave", func(v strategies.Variant) bench.Scenario {
		return pressed(v, arrival("sine:period=18.75s,amp=0.75")[0], 0.8)
	}},
	{"32 clients", func(v strategies.Variant) bench.Scenario {
		return pressed(v, arrival("closed:clients=32,think=exp(20ms)")[0], 0)
	}},
}

func pressedCells(v strategies.Variant) (cells []bench.Scenario) {
	for _, load := range pressedLoads {
		cells = append(cells, pressed(v, arrival("poisson")[0], load))
	}
	return append(cells, producers[1].cell(v), producers[2].cell(v))
}

// inTime is the share of the tasks that are done within the deadline.
func inTime(m *measured, sc bench.Scenario) interval {
	return ofMean(m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 {
		lost := value(0, "shed/op") + value(0, "throttled/op") + value(0, "failed/op") + value(0, "abandoned/op")
		return value(0, "goodput-ops/s") / value(0, "ops/s") * (1 - lost)
	}))
}

// recovery is the makespan less the last due, in each repetition.
func recovery(m *measured, sc bench.Scenario) []float64 {
	return m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 {
		return value(0, "makespan-sec") - float64(sc.Stop.Tasks-1)/value(0, "offered-ops/s")
	})
}

func judgeBackpressure(m *measured) Finding {
	block, shed := strategy(pooled)[0], strategy(shedding)[0]
	var better, not []string
	for _, p := range producers {
		with, without := m.mean(p.cell(shed), "goodput-ops/s").mid, m.mean(p.cell(block), "goodput-ops/s").mid
		if math.IsNaN(with) || math.IsNaN(without) {
			return undecided("%s or %s was not measured with %s", shedding, pooled, p.name)
		}
		said := fmt.Sprintf("%s (%s/s in time by shedding, %s/s by blocking)", p.name, short(with), short(without))
		if with >= 1.05*without {
			better = append(better, said)
		} else {
			not = append(not, said)
		}
	}
	var f Finding
	switch {
	case len(not) == 0:
		f = found(Holds, "at least 5 %% more is in time: %s", strings.Join(better, ", "))
	case len(better) == 0:
		f = found(DoesNotHold, "nowhere is 5 %% more in time: %s", strings.Join(not, ", "))
	default:
		f = found(Depends, "on the producer: better with %s, not with %s", strings.Join(better, ", "), strings.Join(not, ", "))
	}
	for _, p := range producers {
		b, s := p.cell(block), p.cell(shed)
		f.add("%s: blocking loses %s, and %s are late; shedding loses %s, and %s are late", p.name,
			percent(lostShare(m, b).mid), percent(late(m, b)), percent(lostShare(m, s).mid), percent(late(m, s)))
	}
	over := producers[0]
	for _, of := range [][]string{blocking, refusing} {
		var said []string
		for _, name := range of {
			if sc := over.cell(strategy(name)[0]); m.has(sc) {
				said = append(said, fmt.Sprintf("%s %s/s, %s, %s", name, short(m.mean(sc, "goodput-ops/s").mid), charts.Seconds(m.mean(sc, "p99-response-sec").mid), charts.Seconds(ofMean(recovery(m, sc)).mid)))
			}
		}
		f.add("%s, %d tasks: goodput, p99, and how long the workers are behind afterwards: %s", over.name, pressedTasks, strings.Join(said, "; "))
	}
	if sc := over.cell(block); m.has(sc) {
		f.add("where late is as good as in time it is blocking that is better: it completes all, %s of which shedding refuses", percent(lostShare(m, over.cell(shed)).mid))
	}
	return f
}

// late is the share of the tasks that complete after the deadline.
func late(m *measured, sc bench.Scenario) float64 {
	return max(0, 1-lostShare(m, sc).mid-inTime(m, sc).mid)
}

func drawPressed(m *measured) (f reports.Figure, err error) {
	x := charts.Axis{Label: "load, 1 being the capacity", Name: "load", Marks: []float64{0.7, 1, 1.3, 1.6}}
	good := charts.Plane{Panel: charts.Panel{Title: "goodput"}, X: x, Y: charts.Axis{Label: fmt.Sprintf("tasks a second done within %v", inTimeMost), Reach: []float64{0}}}
	slow := charts.Plane{Panel: charts.Panel{Title: "p99 response"}, X: x, Y: charts.Axis{Label: "of those completed (log scale)", Log: true, Format: charts.Seconds}}
	behind := charts.Plane{Panel: charts.Panel{Title: "behind when the overload ends"}, X: x, Y: charts.Axis{Label: "last due to last end", Format: charts.Seconds, Reach: []float64{0}}}
	known := append(append([]string{}, blocking...), refusing...)
	names := append(known, m.others(known, func(name string) bench.Scenario { return producers[0].cell(strategy(name)[0]) })...)
	any := false
	for _, name := range names {
		a, b, c := charts.Series{Name: name}, charts.Series{Name: name}, charts.Series{Name: name}
		for _, load := range pressedLoads {
			sc := pressed(strategy(name)[0], arrival("poisson")[0], load)
			if !m.has(sc) {
				continue
			}
			any = true
			a.Style, b.Style, c.Style = m.style(sc), m.style(sc), m.style(sc)
			add(&a, load, ofMedian(m.values(sc, "goodput-ops/s")))
			add(&b, load, ofMedian(m.values(sc, "p99-response-sec")))
			add(&c, load, ofMedian(recovery(m, sc)))
		}
		good.Series, slow.Series, behind.Series = append(good.Series, a), append(slow.Series, b), append(behind.Series, c)
		if name == shedding && len(a.X) > 0 {
			a, b := pressedExact(a.Style)
			good.Series, slow.Series = append(good.Series, a), append(slow.Series, b)
		}
	}
	if !any {
		return f, &charts.EmptyError{Chart: "backpressure"}
	}
	capacity := limit / pressedMean.Seconds()
	good.Levels = []charts.Level{{Name: fmt.Sprintf("capacity %v/s", capacity), Y: capacity}}
	slow.Levels = []charts.Level{{Name: "in time", Y: inTimeMost.Seconds()}}
	c, err := charts.Planes("Past the capacity, what blocks does next to nothing in time, and is behind long afterwards", []charts.Plane{good, slow, behind})
	if err != nil {
		return f, err
	}
	c.Subtitle = fmt.Sprintf("%d tasks of %v from a producer that heeds nothing; %d workers, queues of %d", pressedTasks, pressedMean, limit, pressedQueue)
	return reports.Figure{Name: "backpressure", Chart: c, Caption: strings.Join([]string{
		"To block such a producer only moves the queue to before the pool, where it has no end; the response counts it. The three that refuse keep both the goodput and the p99, and have nothing to make up for.",
		fmt.Sprintf("Band: exact for %s (M/M/k/K).", shedding),
		fmt.Sprintf("Points: the median of %s repetitions with the interval between two of them that holds it with 95 %%, of fewer than six between the least and the greatest.", m.repetitions(pressedCells(strategy(pooled)[0]))),
	}, " ")}, nil
}

// pressedExact are the goodput and the p99 of the pool that sheds: of what it takes, the share whose response does not exceed the deadline.
func pressedExact(style int) (good, p99 charts.Series) {
	good = charts.Series{Name: shedding, Style: style, Theory: true}
	p99 = good
	for load := 0.7; load < 1.61; load += 0.05 {
		mean := pressedMean.Seconds()
		a, err := theory.MMkK(theory.Pool{Rate: load * limit / mean, MeanService: mean, Limit: limit}, pressedQueue)
		if err != nil {
			panic(err) // of numbers that are written here
		}
		tail, _ := a.ResponseTail(inTimeMost.Seconds())
		good.X, good.Y = append(good.X, load), append(good.Y, a.Throughput*(1-tail))
		if t, ok := a.ResponseQuantile(0.99); ok {
			p99.X, p99.Y = append(p99.X, load), append(p99.Y, t)
		}
	}
	return good, p99
}

// fates are the parts of what was offered, in the order of the figure.
var fates = []string{"in time", "late", "lost"}

func drawFates(m *measured) (f reports.Figure, err error) {
	var stacks []charts.Stack
	for _, p := range producers {
		for i, name := range []string{pooled, shedding, "codel_lifo"} {
			if sc := p.cell(strategy(name)[0]); m.has(sc) {
				stacks = append(stacks, charts.Stack{Name: p.name + ": " + [...]string{"block", "shed", "shed the late"}[i], Parts: []float64{inTime(m, sc).mid, late(m, sc), lostShare(m, sc).mid}})
			}
		}
	}
	if len(stacks) == 0 {
		return f, &charts.EmptyError{Chart: "fates"}
	}
	c, err := charts.Stacks("What becomes of the tasks depends on who produces them", "share of the tasks", stacks, func(j int) string { return fates[j] })
	if err != nil {
		return f, err
	}
	c.Subtitle = fmt.Sprintf("In time: within %v of being due. Block: %s, shed: %s, shed the late: codel_lifo", inTimeMost, pooled, shedding)
	return reports.Figure{Name: "backpressure-fates", Chart: c, Caption: strings.Join([]string{
		"Only clients that wait for their task, and bring no other meanwhile, are held back by blocking; nothing is lost then, and most is in time. For any other producer the choice is between late and lost.",
		fmt.Sprintf("The means of %s repetitions.", m.repetitions(pressedCells(strategy(pooled)[0]))),
	}, " ")}, nil
}
