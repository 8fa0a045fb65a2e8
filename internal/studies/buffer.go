package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// buffer makes the queue before four workers longer and longer: under bursts that the workers can make up for, close to the capacity, and
// under an overload that lasts. The claim is the rule of thumb on the size of a buffered channel (pattern: backpressure with channels).
//
// A buffer absorbs what comes where at most one task in a hundred is shed. The claim holds where the longest queue absorbs both the bursts and the
// overload, does not hold where it absorbs neither, and else depends on which it is. What is held is the mean of the queue by Little's law,
// accepted tasks a second times their mean wait: that is the memory, in tasks.
var _ = register(Study{
	Name:     "buffer",
	Question: "what does a larger buffer buy: under bursts, and under an overload that lasts?",
	Claim:    "buffer size trades latency against memory: larger buffers absorb bursts but use more memory",
	Count:    [3]int{3, 8, 20},
	Cells: func(size Size) []bench.Scenario {
		return append(bufferCells(size, shedding), bufferCells(size, holding)[:len(bufferSizes)]...) // of what blocks, the bursts
	},
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		if !v.Spec.UsesQueue {
			return nil, fmt.Errorf("%s has no queue whose size could be tried", v.Spec.Name)
		}
		return bufferCells(size, v.String()), nil
	},
	Judge: judgeBuffer,
	Draw:  drawBuffer,
})

const holding = "bounded_queue"

var bufferSizes = []int{0, 1, 10, 100, 1000, 10_000}

const bufferMean = 0.008 // seconds

// A bufferCase is what the buffer is for.
type bufferCase struct {
	name    string
	arrival string
	load    float64
}

var bufferCases = []bufferCase{
	{"bursts of 100, load 0.7", "bulk:n=100", 0.7},
	{"load 0.9", "poisson", 0.9},
	{"load 1.5", "poisson", 1.5},
}

// bursts and overload are the cases that the verdict looks at.
var bursts, overload = bufferCases[0], bufferCases[2]

// bufferCell is a run long enough to fill its queue in the warm-up, where it fills at all: at load 1.5 a third of the tasks stay, and two thirds of those
// that come until it is full are gone.
func bufferCell(size Size, name string, c bufferCase, queue int) bench.Scenario {
	tasks := [...]int{16_000, 60_000, 400_000}[size]
	if c == overload {
		tasks += 7 * queue
	}
	return bench.Scenario{
		Strategy: strategy(name)[0],
		Limit:    limit,
		Queue:    queue,
		Workload: workload("exponential:mean=8ms")[0],
		Load:     bench.Load{Arrival: arrival(c.arrival)[0], Relative: c.load},
		Stop:     bench.Stop{Tasks: tasks, Warmup: 0.5},
		Seed:     1,
		Clock:    bench.Virtual,
	}
}

func bufferCells(size Size, name string) (cells []bench.Scenario) {
	for _, c := range bufferCases {
		for _, queue := range bufferSizes {
			cells = append(cells, bufferCell(size, name, c, queue))
		}
	}
	return cells
}

// accepted is how many tasks a second the queue takes, which in the long run is the throughput; ops/s counts until the last has left a
// queue that nothing enters any more, and is lower by that much.
func accepted(value func(int, string) float64) float64 {
	return value(0, "offered-ops/s") * (1 - value(0, "shed/op"))
}

// held is the mean number of tasks in the queue, by Little's law.
func held(m *measured, sc bench.Scenario) interval {
	return ofMean(m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 { return accepted(value) * value(0, "mean-wait-sec") }))
}

func judgeBuffer(m *measured) Finding {
	cell := func(c bufferCase, queue int) bench.Scenario { return bufferCell(Quick, shedding, c, queue) }
	for _, c := range []bufferCase{bursts, overload} {
		for _, queue := range bufferSizes {
			if !m.has(cell(c, queue)) {
				return undecided("%s was not measured with a queue of %d at %s", shedding, queue, c.name)
			}
		}
	}
	longest := bufferSizes[len(bufferSizes)-1]
	shed := func(c bufferCase, queue int) float64 { return m.mean(cell(c, queue), "shed/op").mid }
	var absorbed, not []string
	for _, c := range []bufferCase{bursts, overload} {
		said := fmt.Sprintf("%s: %s shed without a queue, %s with %d slots", c.name, percent(shed(c, 0)), percent(shed(c, longest)), longest)
		if shed(c, longest) <= 0.01 {
			absorbed = append(absorbed, said)
		} else {
			not = append(not, said)
		}
	}
	var f Finding
	switch {
	case len(not) == 0:
		f = found(Holds, "a buffer absorbs %s", strings.Join(absorbed, "; "))
	case len(absorbed) == 0:
		f = found(DoesNotHold, "no buffer absorbs %s", strings.Join(not, "; "))
	default:
		f = found(Depends, "on whether what comes in excess ends: absorbed are %s; not %s", absorbed[0], not[0])
	}
	enough := longest
	for i := len(bufferSizes) - 1; i >= 0 && shed(bursts, bufferSizes[i]) <= 0.01; i-- {
		enough = bufferSizes[i]
	}
	say := func(c bufferCase, queue int) string {
		p99 := m.mean(cell(c, queue), "p99-response-sec")
		if math.IsNaN(p99.mid) {
			p99 = m.mean(cell(c, queue), "max-response-sec")
		}
		return fmt.Sprintf("%d slots: %s shed, p99 %s, %s tasks held", queue, percent(shed(c, queue)), charts.Seconds(p99.mid), short(held(m, cell(c, queue)).mid))
	}
	f.add("the tasks it saves wait, so a buffer never lowers the response of what it accepts: %s; %s; %s", say(bursts, 10), say(bursts, enough), say(bursts, longest))
	rate := func(queue int) float64 { return ofMean(m.each([]bench.Scenario{cell(overload, queue)}, accepted)).mid }
	f.add("under an overload that lasts only the response grows: %s; %s; %s; throughput %s/s, %s/s and %s/s", say(overload, 10), say(overload, 100), say(overload, longest),
		short(rate(10)), short(rate(100)), short(rate(longest)))
	if least := 1 - 1/overload.load; m.has(cell(overload, 0)) {
		f.add("at %s no buffer can shed less than 1 − 1/ρ = %s; %d slots come to %s, and no slot at all to %s", overload.name, percent(least), 10, percent(shed(overload, 10)), percent(shed(overload, 0)))
	}
	if apart := bufferApart(m); !math.IsNaN(apart) {
		f.add("of a queue that blocks when it is full the size changes the response by at most %s: what finds no slot waits outside, with the producer", percent(apart))
	}
	return f
}

// bufferApart is by how much the p99 of the queue that blocks differs at most from that of its shortest, under bursts.
func bufferApart(m *measured) float64 {
	most := math.NaN()
	for _, queue := range bufferSizes[1:] {
		for _, r := range m.each([]bench.Scenario{bufferCell(Quick, holding, bursts, queue), bufferCell(Quick, holding, bursts, 0)},
			func(value func(int, string) float64) float64 {
				return value(0, "p99-response-sec") / value(1, "p99-response-sec")
			}) {
			if apart := math.Abs(r - 1); math.IsNaN(most) || apart > most {
				most = apart
			}
		}
	}
	return most
}

func drawBuffer(m *measured) ([]reports.Figure, error) {
	x := charts.Axis{Label: "slots of the queue (log scale)", Log: true, Zero: true, Name: "queue", Marks: floats(bufferSizes)}
	lost := charts.Plane{Panel: charts.Panel{Title: "shed"}, X: x, Y: charts.Axis{Label: "share of the tasks", Format: percent}}
	late := charts.Plane{Panel: charts.Panel{Title: "p99 response"}, X: x, Y: charts.Axis{Label: "of those accepted (log scale)", Log: true, Format: charts.Seconds}}
	kept := charts.Plane{Panel: charts.Panel{Title: "tasks held in the queue"}, X: x, Y: charts.Axis{Label: "mean, by Little's law (log scale)", Log: true}}
	for i, c := range bufferCases {
		a, b, d := charts.Series{Name: c.name, Style: i}, charts.Series{Name: c.name, Style: i}, charts.Series{Name: c.name, Style: i}
		for _, queue := range bufferSizes {
			sc := bufferCell(Quick, shedding, c, queue)
			if !m.has(sc) {
				continue
			}
			add(&a, float64(queue), m.mean(sc, "shed/op"))
			if p99 := m.mean(sc, "p99-response-sec"); !math.IsNaN(p99.mid) {
				add(&b, float64(queue), p99)
			}
			if h := held(m, sc); h.mid > 0 {
				add(&d, float64(queue), h)
			}
		}
		if len(a.X) == 0 {
			return nil, &charts.EmptyError{Chart: "buffer"}
		}
		lost.Series, late.Series, kept.Series = append(lost.Series, a), append(late.Series, b), append(kept.Series, d)
		if c.arrival == "poisson" {
			a, b, d := bufferExact(c, i)
			lost.Series, late.Series, kept.Series = append(lost.Series, a), append(late.Series, b), append(kept.Series, d)
		}
	}
	c, err := charts.Planes("A buffer outlasts a burst; against an overload that lasts it buys waiting", []charts.Plane{lost, late, kept})
	if err != nil {
		return nil, err
	}
	c.Subtitle = fmt.Sprintf("%s, %d workers, tasks of 8 ms; what finds no slot is refused", shedding, limit)
	return []reports.Figure{{Name: "buffer", Chart: c, Caption: strings.Join([]string{
		"Once a queue has room for a burst, more slots are never used: the memory is what is held, not what there is room for. Where more comes than is done, every slot is always taken.",
		"Bands: exact for Poisson arrivals (M/M/k/K); bulks have no closed form, and none is drawn.",
		fmt.Sprintf("Points: the mean of %s repetitions and its 95 %% interval by Student's t.", m.repetitions(bufferCells(Quick, shedding))),
	}, " ")}}, nil
}

// bufferExact are the lines of theory for Poisson arrivals.
func bufferExact(c bufferCase, style int) (shed, p99, held charts.Series) {
	shed = charts.Series{Name: c.name, Style: style, Theory: true}
	p99, held = shed, shed
	for _, queue := range []int{0, 1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 1000, 2000, 5000, 10_000} {
		a, err := theory.MMkK(theory.Pool{Rate: c.load * limit / bufferMean, MeanService: bufferMean, Limit: limit}, queue)
		if err != nil {
			panic(err) // of numbers that are written here
		}
		at := float64(queue)
		shed.X, shed.Y = append(shed.X, at), append(shed.Y, a.ShedProb)
		if t, ok := a.ResponseQuantile(0.99); ok {
			p99.X, p99.Y = append(p99.X, at), append(p99.Y, t)
		}
		if a.MeanWait > 0 {
			held.X, held.Y = append(held.X, at), append(held.Y, a.Throughput*a.MeanWait)
		}
	}
	return shed, p99, held
}
