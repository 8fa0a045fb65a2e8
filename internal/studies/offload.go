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

// offload weighs what a worker pool gains by the cores against what it costs to hand a task over and to hear of its end (the Node.js guide
// "Don't block the event loop": communication costs, offset by the benefit of multiple cores). A batch of tasks of one size runs on the loop,
// inline, and on workers; what counts is how many tasks a second each completes. Beside it a single client, who waits for each
// answer and for whom there is no second core to gain, says what handing over costs. Of the repetitions the best counts, on either side: runs are
// short and many, and what other programs on the machine do to one only makes it slower.
//
// The claim is on event_loop_offload. It holds where that completes at least a tenth more than the loop at every size above the cost of handing
// over; it does not hold where it does so at none; else it depends on the size. Where other programs have the
// cores there is nothing to gain, and nothing to be found: it is undecided where, with the long tasks, the threads of the offloading runs waited for
// a processor a fifth of the time, in every repetition.
//
// Sizes are nominal, of a task that has a core to itself. The harness makes each task some 0.1 to 0.2 µs longer, on either side.
var _ = register(Study{
	Name:     "offload",
	Question: "from what size on does it pay to hand a task over to a worker pool?",
	Claim:    "handing a task over to a worker pool pays as soon as the task is longer than the cost of handing over",
	Count:    [3]int{5, 10, 20},
	Cells: func(size Size) (cells []bench.Scenario) {
		for _, name := range append([]string{inline}, handedOver...) {
			cells = append(cells, handCells(name, size)...)
		}
		return cells
	},
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		return handCells(v.String(), size), nil
	},
	Judge: judgeOffload,
	Draw: func(m *measured) ([]reports.Figure, error) {
		f, err := drawOffload(m)
		if err != nil {
			return nil, err
		}
		return []reports.Figure{f}, nil
	},
})

// handedOver are the strategies that hand over; the first is judged.
var handedOver = []string{"event_loop_offload", pooled}

var handSizes = []time.Duration{200 * time.Nanosecond, time.Microsecond, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond}

const (
	handPays  = 1.1                   // times the tasks a second that count as a gain
	handAlone = 10 * time.Microsecond // the size of a single client's tasks
	handExtra = 300 * time.Nanosecond // what a tiny task takes beside its size, for the number of them
	handBusy  = 20 * time.Millisecond // of work in a batch
	handCrowd = 0.2                   // of the time without a processor
	handQueue = 1024                  // places: the generator is to keep all workers busy
)

// handCells are the batches of a strategy and its single client.
func handCells(name string, size Size) (cells []bench.Scenario) {
	for _, of := range handSizes {
		cells = append(cells, handCell(name, of, size))
	}
	return append(cells, handAloneCell(name, size))
}

func handCell(name string, of time.Duration, size Size) bench.Scenario {
	sc := handScenario(name, of)
	sc.Load.Arrival = arrival("batch")[0]
	sc.Stop = bench.Stop{Tasks: int(handBusy/(of+handExtra)) * [...]int{1, 4, 10}[size]}
	return sc
}

func handAloneCell(name string, size Size) bench.Scenario {
	sc := handScenario(name, handAlone)
	sc.Load.Arrival = arrival("closed:clients=1,think=const(0s)")[0]
	sc.Stop = bench.Stop{Duration: [...]time.Duration{30, 100, 500}[size] * time.Millisecond}
	return sc
}

func handScenario(name string, of time.Duration) bench.Scenario {
	sc := bench.Scenario{Strategy: strategy(name)[0], Limit: limit, Workload: workload(fmt.Sprintf("cpu_sha256:mean=%v", of))[0], Seed: 1, Clock: bench.Real}
	if sc.Strategy.Spec.UsesQueue {
		sc.Queue = handQueue
	}
	return sc
}

// handGain is how many times the tasks of the loop the strategy completes in a second.
func handGain(m *measured, name string, of time.Duration) float64 {
	return best(m, handCell(name, of, Quick), "ops/s", slices.Max) / best(m, handCell(inline, of, Quick), "ops/s", slices.Max)
}

// handCost is what handing over adds to a single client's wait, in seconds.
func handCost(m *measured, name string) float64 {
	const wait = "p50-wait-sec"
	return best(m, handAloneCell(name, Quick), wait, slices.Min) - best(m, handAloneCell(inline, Quick), wait, slices.Min)
}

// handCrowded is the share of the time in which threads that were ready had no processor, with the two longest tasks; NaN where no system tells.
func handCrowded(m *measured, name string) float64 {
	const waited = "cpu-wait"
	longest := handSizes[len(handSizes)-2:]
	return max(best(m, handCell(name, longest[0], Quick), waited, slices.Min), best(m, handCell(name, longest[1], Quick), waited, slices.Min))
}

// best is a metric in the repetition that others disturbed least; NaN where there is none.
func best(m *measured, sc bench.Scenario, unit string, of func([]float64) float64) float64 {
	values := m.values(sc, unit)
	if len(values) == 0 {
		return math.NaN()
	}
	return of(values)
}

// breakEven is the size in seconds from which on the strategy completes more than the loop, straight between the points on logarithmic axes;
// 0 where it does at every size, infinite where it does not at the largest, NaN where a size was not measured.
func breakEven(m *measured, name string) float64 {
	var sizes, gains []float64
	for _, of := range handSizes {
		sizes, gains = append(sizes, of.Seconds()), append(gains, math.Log(handGain(m, name, of)))
	}
	switch {
	case slices.ContainsFunc(gains, math.IsNaN):
		return math.NaN()
	case slices.Min(gains) > 0:
		return 0
	case gains[len(gains)-1] <= 0:
		return math.Inf(1)
	}
	return lastCrossing(sizes, gains)
}

// fromSize words a break-even.
func fromSize(at float64) string {
	switch {
	case at == 0:
		return fmt.Sprintf("at every size measured, from %v on", handSizes[0])
	case math.IsInf(at, 1):
		return fmt.Sprintf("not at any size for good, up to %v", handSizes[len(handSizes)-1])
	}
	return "from " + roughly(at) + " on"
}

// roughly writes a time in seconds in two digits: more is not known of it.
func roughly(seconds float64) string {
	digits := math.Pow(10, 1-math.Floor(math.Log10(math.Abs(seconds))))
	if seconds == 0 {
		digits = 1
	}
	return charts.Seconds(math.Round(seconds*digits) / digits)
}

func judgeOffload(m *measured) Finding {
	name := handedOver[0]
	cost, at := handCost(m, name), breakEven(m, name)
	if math.IsNaN(cost) || math.IsNaN(at) {
		return undecided("%s or %s was not measured at every size and with a single client", name, inline)
	}
	if waited := handCrowded(m, name); waited > handCrowd {
		return undecided("other programs had the processors: threads that were ready waited for one for %s of the time, in the best of %s repetitions", percent(waited), m.repetitions([]bench.Scenario{handCell(name, handSizes[0], Quick)}))
	}
	var pays, not []string
	for _, of := range handSizes {
		said := fmt.Sprintf("×%s at %v", short(handGain(m, name, of)), of)
		switch {
		case of.Seconds() <= cost:
		case handGain(m, name, of) >= handPays:
			pays = append(pays, said)
		default:
			not = append(not, said)
		}
	}
	because := fmt.Sprintf("handing over costs a single client %s a task, and %s completes more than the loop %s", roughly(cost), name, fromSize(at))
	var f Finding
	switch {
	case len(not) == 0:
		f = found(Holds, "%s: %s", because, strings.Join(pays, ", "))
	case len(pays) == 0:
		f = found(DoesNotHold, "%s: %s", because, strings.Join(not, ", "))
	default:
		f = found(Depends, "on the size: it pays %s, and not %s; %s", strings.Join(pays, ", "), strings.Join(not, ", "), because)
	}
	for _, name := range append(slices.Clone(handedOver), handOthers(m)...) {
		var gains []string
		most := 0.0
		for _, of := range handSizes {
			gain := handGain(m, name, of)
			gains, most = append(gains, fmt.Sprintf("×%s at %v", short(gain), of)), max(most, gain)
		}
		if at := breakEven(m, name); !math.IsNaN(at) {
			f.add("%s against the loop, in tasks a second: %s; it completes more %s", name, strings.Join(gains, ", "), fromSize(at))
		}
		if cost := handCost(m, name); most > handPays && cost > 0 {
			f.add("with a gain of ×%s at best, what handing to %s costs a single client is earned back from %s on: cost × gain/(gain − 1)", short(most), name, roughly(cost*most/(most-1)))
		}
	}
	const response = "p50-response-sec"
	from, to := best(m, handAloneCell(inline, Quick), response, slices.Min), best(m, handAloneCell(name, Quick), response, slices.Min)
	f.add("a single client who waits for each answer never gains: the p50 response is %s on the loop and %s handed over, for tasks of %v", charts.Seconds(from), charts.Seconds(to), handAlone)
	return f
}

// handOthers are the strategies that somebody named.
func handOthers(m *measured) []string {
	return m.others(append([]string{inline}, handedOver...), func(name string) bench.Scenario { return handCell(name, handSizes[0], Quick) })
}

func drawOffload(m *measured) (f reports.Figure, err error) {
	p := charts.Plane{
		X:      charts.Axis{Label: "size of a task (log scale)", Log: true, Format: charts.Seconds},
		Y:      charts.Axis{Label: "throughput ÷ the loop's (log scale)", Log: true, Format: short, Marks: []float64{0.25, 0.5, 0.7, 1, 1.4, 2, 3, 4, 8}},
		Levels: []charts.Level{{Name: "as many as on the loop", Y: 1}},
	}
	for _, of := range handSizes {
		p.X.Marks = append(p.X.Marks, of.Seconds())
	}
	for _, name := range append(slices.Clone(handedOver), handOthers(m)...) {
		s := charts.Series{Name: name, Style: m.style(handCell(name, handSizes[0], Quick))}
		for _, of := range handSizes {
			if gain := handGain(m, name, of); !math.IsNaN(gain) {
				add(&s, of.Seconds(), interval{gain, math.NaN(), math.NaN()})
			}
		}
		p.Series = append(p.Series, s)
	}
	crowded := handCrowded(m, handedOver[0]) > handCrowd
	if at := breakEven(m, handedOver[0]); at > 0 && !math.IsInf(at, 1) && !crowded {
		p.Remarks = []charts.Remark{{Sign: charts.Foot, X: at, Y: 1, Text: []string{"offloading pays", "from " + roughly(at)}}}
	}
	c, err := charts.Planes("What handing over to workers gains, by the size of the task", []charts.Plane{p})
	if err != nil {
		return f, err
	}
	c.Subtitle = fmt.Sprintf("A batch of SHA-256 tasks on one loop, and on %d workers; real clock, this machine", limit)
	if crowded {
		c.Subtitle += ", whose processors other programs had: not to be relied on"
	}
	return reports.Figure{Name: "offload-gain", Chart: c, Caption: strings.Join([]string{
		"More than the number of processors is not to be had: what lies above is noise, and other programs on the machine take from it.",
		"Sizes are of a task alone; the harness adds 0.1 to 0.2 µs to each, on either side.",
		fmt.Sprintf("Points: the best of %s repetitions on either side, as what else runs on the machine only makes them slower.", m.repetitions([]bench.Scenario{handCell(handedOver[0], handSizes[0], Quick)})),
	}, " ")}, nil
}
