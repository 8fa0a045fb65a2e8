package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/strategies"
)

// buffer makes the queue before four workers longer and longer: under bursts that the workers can
// make up for, close to the capacity, and under an overload that lasts. The claim is the rule of
// thumb on the size of a buffered channel (pattern: backpressure with channels).
//
// A buffer absorbs what comes where at most one task in a hundred is shed. The claim holds where
// the longest queue absorbs both the bursts and the overload, does not hold where it absorbs
// neither, and else depends on which it is. What is held is the mean of the queue by Little's law,
// accepted tasks a second times their mean wait: that is the memory, in tasks.
var _ = register(Study{
	Name:     "buffer",
	Question: "what does a larger buffer buy: under bursts, and under an overload that lasts?",
	Claim: "buffer size trades latency against memory: larger buffers absorb bursts but use " +
		"more memory",
	Count:  [3]int{3, 8, 20},
	Budget: 3 * time.Second,
	Cells: func(size Size) []bench.Scenario {
		// of what blocks, the bursts
		return append(bufferCells(size, shedding), bufferCells(size, holding)[:len(bufferSizes)]...)
	},
	With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
		if !v.Spec.UsesQueue {
			return nil, fmt.Errorf("%s has no queue whose size could be tried", v.Spec.Name)
		}
		return bufferCells(size, v.String()), nil
	},
	Judge: judgeBuffer,
	Draw:  []drawing{drawBuffer},
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
	{"bursts of 100 at load 0.7", "bulk:n=100", 0.7},
	{"a lasting load of 0.9", "poisson", 0.9},
	{"a lasting load of 1.5", "poisson", 1.5},
}

// bursts and overload are the cases that the verdict looks at.
var bursts, overload = bufferCases[0], bufferCases[2]

// bufferCell is a run long enough to fill its queue in the warm-up, where it fills at all: at load
// 1.5 a third of the tasks stay, and two thirds of those that come until it is full are gone.
func bufferCell(size Size, name string, c bufferCase, queue int) bench.Scenario {
	tasks := [...]int{16_000, 60_000, 400_000}[size]
	if c == overload {
		tasks += 7 * queue
	}
	return bench.Scenario{
		Strategy: strategy(name)[0],
		Limit:    limit,
		Queue:    slotted(queue),
		Workload: workload("exponential:mean=8ms")[0],
		Load:     bench.Load{Arrival: arrival(c.arrival)[0], Relative: c.load},
		Stop:     bench.Stop{Tasks: tasks, Warmup: 0.5},
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

// accepted is how many tasks a second the queue takes, which in the long run is the throughput;
// ops/s counts until the last has left a queue that nothing enters any more, and is lower by that
// much.
func accepted(value func(int, string) float64) float64 {
	return value(0, "offered-ops/s") * (1 - value(0, "shed/op"))
}

// held is the mean number of tasks in the queue, by Little's law.
func held(m *evidence.Measured, sc bench.Scenario) evidence.Interval {
	return evidence.OfMean(m.Each([]bench.Scenario{sc},
		func(value func(int, string) float64) float64 {
			return accepted(value) * value(0, "mean-wait-sec")
		}))
}

func judgeBuffer(m *evidence.Measured) finding.Finding {
	cell := func(c bufferCase, queue int) bench.Scenario {
		return bufferCell(Quick, shedding, c, queue)
	}
	for _, c := range []bufferCase{bursts, overload} {
		for _, queue := range bufferSizes {
			if !m.Has(cell(c, queue)) {
				return evidence.Missing("%s was not measured with a queue of %d under %s",
					shedding, queue, c.name)
			}
		}
	}
	longest := bufferSizes[len(bufferSizes)-1]
	shed := func(c bufferCase, queue int) float64 { return m.Mean(cell(c, queue), "shed/op").Mid }
	var r evidence.Ruling
	for _, c := range []bufferCase{bursts, overload} {
		most := m.Mean(cell(c, longest), "shed/op")
		r.AtMost(most, 0.01, "%s (shed %s → %s)", c.name, words.Percent(shed(c, 0)), most.Share())
	}
	absorbed, not := words.Series(r.So()), words.Series(r.Not())
	f := r.Untold("whether %d slots absorb", longest)
	switch r.Verdict() {
	case finding.Holds:
		f = evidence.Found(finding.Holds, "a buffer of %d slots absorbs %s", longest, absorbed)
	case finding.DoesNotHold:
		f = evidence.Found(finding.DoesNotHold, "even a buffer of %d slots absorbs neither %s",
			longest,
			strings.Join(r.Not(), " nor "))
	case finding.Depends:
		f = evidence.Found(finding.Depends, "on what exceeds the capacity: a buffer of %d "+
			"slots absorbs %s, not %s",
			longest, absorbed, not)
	}
	enough := longest
	for i := len(bufferSizes) - 1; i >= 0 && shed(bursts, bufferSizes[i]) <= 0.01; i-- {
		enough = bufferSizes[i]
	}
	say := func(c bufferCase, queues ...int) string {
		var parts []string
		for _, queue := range slices.Compact(queues) {
			p99 := m.Mean(cell(c, queue), "p99-response-sec")
			if math.IsNaN(p99.Mid) {
				p99 = m.Mean(cell(c, queue), "max-response-sec")
			}
			parts = append(parts,
				fmt.Sprintf("%d slots shed %s, the p99 is %s, and %s tasks are queued on average",
					queue, words.Percent(shed(c, queue)), words.Seconds(p99.Mid),
					words.Short(held(m, cell(c, queue)).Mid)))
		}
		return strings.Join(parts, "; ")
	}
	f.Add("under %s %s", bursts.name, say(bursts, 10, enough, longest))
	rate := func(queue int) string {
		return words.Short(evidence.OfMean(m.Each([]bench.Scenario{cell(overload, queue)},
			accepted)).Mid) + "/s"
	}
	f.Add("under %s %s; the throughput is %s, %s and %s",
		overload.name, say(overload, 10, 100, longest), rate(10), rate(100), rate(longest))
	f.Add("under %s every buffer sheds at least 1 − 1/ρ = %s: 10 slots shed %s, none at all %s",
		overload.name, words.Percent(1-1/overload.load), words.Percent(shed(overload, 10)),
		words.Percent(shed(overload, 0)))
	switch apart := bufferApart(m); {
	case math.IsNaN(apart):
	case apart == 0:
		f.Add("a queue that blocks when it is full has the same p99 at every size: %s",
			bufferOutside)
	default:
		f.Add("the size of a queue that blocks when it is full changes the p99 by at most %s: %s",
			words.Percent(apart), bufferOutside)
	}
	return f
}

const bufferOutside = "a task that finds no slot waits outside, with the producer"

// bufferApart is by how much the p99 of the queue that blocks differs at most from that of its
// shortest, under bursts.
func bufferApart(m *evidence.Measured) float64 {
	most := math.NaN()
	for _, queue := range bufferSizes[1:] {
		for _, r := range m.Each([]bench.Scenario{bufferCell(Quick, holding, bursts, queue),
			bufferCell(Quick, holding, bursts, 0)},
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

func drawBuffer(m *evidence.Measured) (f page.Figure, err error) {
	x := charts.Axis{Label: "slots of the queue (log scale)", Log: true, Zero: true, Name: "queue",
		Marks: words.Floats(bufferSizes)}
	lost := charts.Plane{Panel: charts.Panel{Title: "shed"}, X: x,
		Y: charts.Axis{Label: "share of the tasks", Format: words.Percent}}
	late := charts.Plane{Panel: charts.Panel{Title: "p99 response"}, X: x,
		Y: charts.Axis{Label: "of those accepted (log scale)", Log: true, Format: charts.Seconds}}
	kept := charts.Plane{Panel: charts.Panel{Title: "tasks queued"}, X: x,
		Y: charts.Axis{Label: "mean, by Little's law (log scale)", Log: true}}
	for i, c := range bufferCases {
		a, b, d := charts.Series{Name: c.name, Style: i}, charts.Series{Name: c.name, Style: i},
			charts.Series{Name: c.name, Style: i}
		for _, queue := range bufferSizes {
			sc := bufferCell(Quick, shedding, c, queue)
			if !m.Has(sc) {
				continue
			}
			evidence.AddPoint(&a, float64(queue), m.Mean(sc, "shed/op"))
			if p99 := m.Mean(sc, "p99-response-sec"); !math.IsNaN(p99.Mid) {
				evidence.AddPoint(&b, float64(queue), p99)
			}
			if h := held(m, sc); h.Mid > 0 {
				evidence.AddPoint(&d, float64(queue), h)
			}
		}
		if len(a.X) == 0 {
			return f, &charts.EmptyError{Chart: "buffer"}
		}
		lost.Series, late.Series, kept.Series = append(lost.Series, a), append(late.Series, b),
			append(kept.Series, d)
		if c.arrival == "poisson" {
			a, b, d := bufferExact(c, i)
			lost.Series, late.Series, kept.Series = append(lost.Series, a), append(late.Series, b),
				append(kept.Series, d)
		}
	}
	return evidence.Figure{
		Name:  "buffer",
		Title: "What a longer buffer buys, of bursts and under an overload that lasts",
		Subtitle: fmt.Sprintf("%s, %d workers, tasks of 8 ms; what finds no slot is refused",
			shedding, limit),
		Caption: []string{
			"The memory is what is queued, not what there is room for.",
			"Bands: exact for Poisson arrivals (M/M/k/K); bulks have no closed form, and none " +
				"is drawn.",
			m.Means(bufferCells(Quick, shedding)),
		},
	}.Planes(lost, late, kept)
}

// bufferExact are the lines of theory for Poisson arrivals.
func bufferExact(c bufferCase, style int) (shed, p99, held charts.Series) {
	shed = charts.Series{Name: c.name, Style: style, Theory: true}
	p99, held = shed, shed
	for _, queue := range []int{0, 1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 1000,
		2000, 5000, 10_000} {
		a, err := theory.MMkK(theory.Pool{Rate: c.load * limit / bufferMean,
			MeanService: bufferMean, Limit: limit}, queue)
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
