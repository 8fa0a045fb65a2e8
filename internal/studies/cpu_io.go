package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/theory"
)

// cpu_io mixes tasks that compute and tasks that wait, for which the Node.js guide on not blocking the event loop advises a computation
// pool of its own, as large as the cores.
//
// Three things are taken apart. Under the virtual clock, what the places do: computations of 200 ms among calls of 10 ms, which are told
// apart, in one pool or in two. That clock gives each place a core, so for more computations at once than there are cores the one pool is
// treated too well: what separate pools win, they win by more. Under the real clock, what the cores do: a fixed number of tasks of which each
// second one computes for 1 ms and the others wait for 2, from more clients than there are places, with as many places for computations as a
// machine of two cores has, or with one fewer, so that a task that wakes up finds a core. And, for tasks that each compute and then wait,
// so that none belongs to either pool alone, what it is to have the whole of a task in the pool for computations.
//
// The claim holds where, at every limit and of either size, the p99 of the waiting tasks in one pool (under the real clock, where a run is too short for that, their
// mean response) is more than a tenth above that in two, and two pools complete at least nine tenths as many real tasks of either kind, and of
// both, in the same time as one does; it does not hold where none of this is so at any limit; else it depends.
var _ = register(Study{
	Name:     "cpu_io",
	Question: "what do separate pools for computing and for waiting win and lose, and at which limit?",
	Claim:    "computing and waiting tasks need pools of their own",
	Count:    [3]int{2, 3, 10},
	Cells: func(size Size) (cells []bench.Scenario) {
		for _, k := range coreLimits {
			cells = append(cells, apartCell(size, pooled, k))
			if k > coreLane {
				cells = append(cells, apartCell(size, coreSplit, k))
			}
		}
		for _, name := range append([]string{pooled}, realSplits...) {
			for _, k := range kindLimits {
				cells = append(cells, kindCell(size, name, k))
			}
		}
		for _, name := range []string{pooled, realSplits[0]} {
			for _, k := range wholeLimits {
				cells = append(cells, wholeCell(size, name, k))
			}
		}
		return cells
	},
	Judge: judgeCores,
	Draw:  drawCores,
})

const (
	coreLane   = 2 // places for computations: the cores of a small machine
	coreBusy   = 0.6
	callPlaces = 1.2 // places that the waiting tasks keep busy, in the mean
	computing  = 200 * time.Millisecond
	calling    = 10 * time.Millisecond
	coreMargin = 1.1 // by which one p99 has to be above another to count as worse
)

var (
	coreSplit   = fmt.Sprintf("segregated:long=%d", coreLane)
	coreLimits  = []int{2, 3, 4, 6, 8, 16}
	realPlaces  = []int{coreLane, coreLane - 1} // for computations: the second leaves a core for what the others do when they wake
	realSplits  = []string{fmt.Sprintf("cpu_io_split:cpu=%d", realPlaces[0]), fmt.Sprintf("cpu_io_split:cpu=%d", realPlaces[1])}
	kindLimits  = []int{4, 16}
	wholeLimits = []int{8, 32}
)

// apartCell has tasks of two kinds. The computing ones arrive as often as keeps so many cores that busy, the calls as keeps callPlaces.
func apartCell(size Size, name string, k int) bench.Scenario {
	compute, call := coreBusy*coreLane/computing.Seconds(), callPlaces/calling.Seconds()
	return bench.Scenario{
		Strategy: strategy(name)[0],
		Limit:    k,
		Queue:    100_000, // room for all, or a full lane would stop the tasks of the other before the door
		Workload: workload(fmt.Sprintf("bimodal:p=%.4g,short=%v,long=%v", compute/(compute+call), calling, computing))[0],
		Load:     bench.Load{Arrival: arrival("poisson")[0], PerSecond: compute + call},
		Stop:     bench.Stop{Tasks: [...]int{20_000, 60_000, 400_000}[size], Warmup: 0.1},
		Seed:     1,
		Clock:    bench.Virtual,
	}
}

// kindCell has tasks of two kinds from more clients than there are places, as many of either kind. Their number is fixed, and not the time, in which
// two pools would do more of the kind that is sooner done.
func kindCell(size Size, name string, k int) bench.Scenario {
	return bench.Scenario{
		Strategy: strategy(name)[0],
		Limit:    k,
		Workload: workload("cpu_io:p=0.5,cpu=1ms,wait=const(2ms)")[0],
		Load:     bench.Load{Arrival: arrival("closed:clients=64,think=const(0s)")[0]},
		Stop:     bench.Stop{Tasks: [...]int{130, 1000, 5000}[size]},
		Seed:     1,
		Clock:    bench.Real,
	}
}

// wholeCell has tasks that compute for 1 ms and then wait for 9, from more clients than there are places.
func wholeCell(size Size, name string, k int) bench.Scenario {
	return bench.Scenario{
		Strategy: strategy(name)[0],
		Limit:    k,
		Workload: workload("mixed:cpu=1ms,wait=const(9ms)")[0],
		Load:     bench.Load{Arrival: arrival("closed:clients=64,think=const(0s)")[0]},
		Stop:     bench.Stop{Duration: [...]time.Duration{70 * time.Millisecond, time.Second, 5 * time.Second}[size]},
		Seed:     1,
		Clock:    bench.Real,
	}
}

// coreRatio is how many times as long the p99 of a class is in one pool as it is in two.
func coreRatio(m *measured, unit string, k int) float64 {
	cells := []bench.Scenario{apartCell(Quick, pooled, k), apartCell(Quick, coreSplit, k)}
	return ofProduct(m.each(cells, func(value func(int, string) float64) float64 { return value(0, unit) / value(1, unit) })).mid
}

// kindRatio is how many times as much of that metric one pool has as two pools have, of which that split says how large they are, with real tasks
// of two kinds.
func kindRatio(m *measured, unit, split string, k int) float64 {
	cells := []bench.Scenario{kindCell(Quick, pooled, k), kindCell(Quick, split, k)}
	return ofProduct(m.each(cells, func(value func(int, string) float64) float64 { return value(0, unit) / value(1, unit) })).mid
}

// wholeRatio is how many times as many tasks of both parts two pools complete as one does.
func wholeRatio(m *measured, k int) float64 {
	cells := []bench.Scenario{wholeCell(Quick, realSplits[0], k), wholeCell(Quick, pooled, k)}
	return ofProduct(m.each(cells, func(value func(int, string) float64) float64 { return value(0, "ops/s") / value(1, "ops/s") })).mid
}

const (
	callTail    = "short-p99-response-sec"
	computeTail = "long-p99-response-sec"
	waitMean    = "io-mean-response-sec"
	computeMean = "cpu-mean-response-sec"
)

func judgeCores(m *measured) Finding {
	var wins, losses, same []string
	sort := func(ratio float64, where string, k int) {
		said := fmt.Sprintf("%d%s (×%s)", k, where, short(ratio))
		switch {
		case ratio > coreMargin:
			wins = append(wins, said)
		case ratio < 1/coreMargin:
			losses = append(losses, said)
		default:
			same = append(same, said)
		}
	}
	for _, k := range coreLimits {
		if k <= coreLane {
			continue
		}
		ratio := coreRatio(m, callTail, k)
		if math.IsNaN(ratio) {
			return undecided("one pool or two were not measured with a limit of %d", k)
		}
		sort(ratio, "", k)
	}
	kept, lost := 0, 0
	keep := func(ratio float64) {
		if ratio >= 0.9 {
			kept++
		} else {
			lost++
		}
	}
	var lines []string
	for i, split := range realSplits {
		for _, k := range kindLimits {
			wait, compute, rate := kindRatio(m, waitMean, split, k), kindRatio(m, computeMean, split, k), 1/kindRatio(m, "ops/s", split, k)
			if math.IsNaN(wait + compute + rate) {
				return undecided("real tasks of either kind were not measured with a limit of %d, by %s", k, split)
			}
			sort(wait, fmt.Sprintf(" on real cores, with cpu=%d", realPlaces[i]), k)
			keep(rate)
			lines = append(lines, fmt.Sprintf("real tasks, of which each second one computes for 1 ms and the others wait for 2, at limit %d: in one pool the mean response of the waiting ones is %s times that in two, %d of whose places compute, that of the computing ones %s times; two pools complete %s times as many a second",
				k, short(wait), realPlaces[i], short(compute), short(rate)))
		}
	}
	for _, k := range wholeLimits {
		ratio := wholeRatio(m, k)
		if math.IsNaN(ratio) {
			return undecided("tasks of both parts were not measured with a limit of %d", k)
		}
		keep(ratio)
		lines = append(lines, fmt.Sprintf("tasks that compute for 1 ms and then wait for 9, at limit %d: separate pools complete %s times as many as one pool", k, short(ratio)))
	}
	what := strings.Join(slices.DeleteFunc([]string{
		said(wins, "better with two pools at limit"), said(same, "within a tenth at limit"), said(losses, "worse with two pools at limit"),
	}, func(s string) bool { return s == "" }), "; ")
	summary := fmt.Sprintf("two pools have the shorter response of the waiting tasks in %d of %d cases, and keep the throughput on real cores in %d of %d",
		len(wins), len(wins)+len(same)+len(losses), kept, kept+lost)
	f := found(Depends, "on the limit of the one pool, and on whether a task is of one kind: %s", summary)
	switch {
	case len(losses)+len(same)+lost == 0:
		f = found(Holds, "%s", summary)
	case len(wins)+kept == 0:
		f = found(DoesNotHold, "%s", summary)
	}
	f.add("response of the waiting tasks in one pool over that in two: %s", what)
	f.Lines = append(append(f.Lines, lines...), coreLines(m)...)
	return f
}

// coreLines say what a pool as large as the cores comes to, and what the computing tasks have of it.
func coreLines(m *measured) (lines []string) {
	if v := m.mean(apartCell(Quick, pooled, coreLane), callTail).mid; !math.IsNaN(v) {
		asked := (coreBusy*coreLane + callPlaces) / coreLane
		lines = append(lines, fmt.Sprintf("one pool of %d places, as many as cores, is asked for %s of its time, since calls hold places and no core: the p99 of the waiting tasks is %s, and says how long the run was",
			coreLane, percent(asked), evilTime(v)))
	}
	if in := ofMedian(m.values(apartCell(Quick, coreSplit, coreLimits[len(coreLimits)-1]), computeTail)); !math.IsNaN(in.mid) {
		lines = append(lines, fmt.Sprintf("in a lane of their own the computing tasks have a p99 of %s, exact %s, whatever the calls do; what they have in one pool, the virtual clock cannot say",
			evilTime(in.mid), evilTime(laneTail(coreBusy*coreLane/computing.Seconds(), computing, coreLane))))
	}
	var said []string
	for _, k := range coreLimits {
		if k > coreLane {
			said = append(said, fmt.Sprintf("%s at limit %d", percent(allComputing(k)), k))
		}
	}
	lines = append(lines, fmt.Sprintf("on %d real cores, which those in one pool share, computations would hold k places or more for this share of the time (processor sharing, exact without the calls): %s",
		coreLane, strings.Join(said, ", ")))
	for i, k := range wholeLimits[:len(wholeLimits)-1] {
		next := wholeLimits[i+1]
		one, more := wholeCell(Quick, pooled, k), wholeCell(Quick, pooled, next)
		rate, service := m.mean(more, "ops/s").mid/m.mean(one, "ops/s").mid, m.mean(more, "mean-service-sec").mid/m.mean(one, "mean-service-sec").mid
		if !math.IsNaN(rate + service) {
			lines = append(lines, fmt.Sprintf("one pool of %d places instead of %d completes %s times as many tasks of both parts, and is inside each for %s times as long", next, k, short(rate), short(service)))
		}
	}
	return lines
}

// allComputing is the share of the time in which k computations or more are under way that share the cores. It is that of
// M/M/c whatever the times of the computations: P(N ≥ k) = P(wait)·ρ^(k−c).
func allComputing(k int) float64 {
	a, err := theory.MMk(theory.Pool{Rate: coreBusy * coreLane / computing.Seconds(), MeanService: computing.Seconds(), Limit: coreLane})
	if err != nil {
		panic(err) // of a load below 1
	}
	return a.WaitProb * math.Pow(coreBusy, float64(k-coreLane))
}

// laneTail is the exact p99 of the response in a lane of so many places where all tasks take as long; NaN where it is overloaded.
func laneTail(rate float64, service time.Duration, places int) float64 {
	if rate*service.Seconds() >= float64(places) {
		return math.NaN()
	}
	a, err := theory.MDk(theory.Pool{Rate: rate, MeanService: service.Seconds(), Limit: places})
	if err != nil {
		panic(err) // of a load below 1
	}
	t, _ := a.ResponseQuantile(0.99)
	return t
}
