package studies

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// The claim is the rule of thumb for the size of a buffered channel (pattern: backpressure with
// channels). A case meets the claim if the longest queue sheds at most one task in a hundred.
var _ = register(Study{
	Name:     "buffer",
	Question: "does a larger buffer help under bursts, and under a lasting overload?",
	Claim: "buffer size trades latency against memory: larger buffers absorb bursts but use " +
		"more memory",
	Count:  [3]int{3, 8, 20},
	Budget: 3 * time.Second,
	Cells: func(size Size) []bench.Scenario {
		// the blocking strategy only with the bursts
		return append(bufferCells(size, shedding), bufferCells(size, holding)[:len(bufferSizes)]...)
	},
	With: each(bufferCells),
	Takes: func(v strategies.Variant) error {
		if !v.Spec.UsesQueue {
			return fmt.Errorf("%s has no queue whose size could be tried", v.Spec.Name)
		}
		return nil
	},
	Decides: []string{metric.Shed},
	Advice: evidence.Sentences{
		Holds:       "use a buffer as large as the longest burst",
		DoesNotHold: "shed, or add capacity: a buffer does not absorb this load",
		Depends:     "use a buffer against bursts. Against a lasting overload, shed or add capacity",
	},
	Judge: judgeBuffer,
	Draw:  []drawing{drawBuffer},
})

var bufferSizes = []int{0, 1, 10, 100, 1000, 10_000}

const bufferMean = 0.008 // seconds

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

var bursts, overload = bufferCases[0], bufferCases[2]

// The queue is full before the end of the warm-up: at load 1.5, a third of the arrivals stays in
// it.
func bufferCell(size Size, name string, c bufferCase, queue int) bench.Scenario {
	tasks := [...]int{16_000, 60_000, 400_000}[size]
	if c == overload {
		tasks += 7 * queue
	}
	sc := scenario(name, "exponential:mean=8ms", loadOf(c.arrival, c.load),
		bench.Stop{Tasks: tasks, Warmup: 0.5})
	sc.Queue = queueLength(queue)
	return sc
}

func bufferCells(size Size, name string) (cells []bench.Scenario) {
	for _, c := range bufferCases {
		cells = append(cells, bufferSweep(size, name, c)...)
	}
	return cells
}

func bufferSweep(size Size, name string, c bufferCase) (cells []bench.Scenario) {
	for _, queue := range bufferSizes {
		cells = append(cells, bufferCell(size, name, c, queue))
	}
	return cells
}

// acceptedRate is the throughput in the long run. The measured throughput is lower, because it
// includes the time to empty the queue after the last arrival.
func acceptedRate(r evidence.Run) float64 { return r(metric.Offered) * (1 - r(metric.Shed)) }

func meanQueued(m *evidence.Measured, sc bench.Scenario) evidence.Interval {
	return evidence.OfMean(m.Numbers(sc, func(r evidence.Run) float64 {
		return acceptedRate(r) * r(metric.MeanWait)
	}))
}

func judgeBuffer(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "arrivals and slots of the queue",
		More: []string{"p99 response", "mean queued", "accepted"}, Number: "shed",
		Format: evidence.Interval.Share}
	longest := bufferSizes[len(bufferSizes)-1]
	for _, c := range []bufferCase{bursts, overload} {
		for _, queue := range bufferSizes {
			sc := bufferCell(Quick, shedding, c, queue)
			shed, p99 := m.Mean(sc, metric.Shed), m.Median(sc, metric.P99Response)
			if math.IsNaN(shed.Mid) {
				return evidence.Missing("%s was not measured with a queue of %d under %s",
					shedding, queue, c.name)
			}
			if math.IsNaN(p99.Mid) {
				p99 = m.Median(sc, metric.MaxResponse)
			}
			more := []string{evidence.Short(p99, text.ShortSeconds),
				evidence.Short(meanQueued(m, sc), text.Short), evidence.Short(evidence.OfMedian(
					m.Numbers(sc, acceptedRate)), text.Short) + "/s"}
			name := fmt.Sprintf("%s, %d", c.name, queue)
			if queue == longest {
				r.AtMost(name, shed, 0.01, more...)
			} else {
				r.Show(name, shed, more...)
			}
		}
	}
	f := r.Find(evidence.Sentences{
		Holds: fmt.Sprintf("a buffer of %d slots absorbs bursts and a lasting overload, and "+
			"sheds almost no tasks", longest),
		DoesNotHold: fmt.Sprintf("even a buffer of %d slots absorbs neither bursts nor a lasting "+
			"overload, and sheds many tasks", longest),
		Depends: "on what exceeds the capacity",
	}, fmt.Sprintf("whether %d slots absorb the excess", longest))
	f.Add("under a lasting load of %v every buffer sheds at least 1 − 1/ρ = %s", overload.load,
		text.ShortShare(1-1/overload.load))
	if apart := bufferApart(m); !math.IsNaN(apart) {
		f.Add("if a full queue blocks, its size changes the p99 by at most %s: a task without a "+
			"slot waits at the producer", text.ShortShare(apart))
	}
	return f
}

func bufferApart(m *evidence.Measured) float64 {
	cells, most := bufferSweep(Quick, holding, bursts), math.NaN()
	for _, sc := range cells[1:] {
		most = evidence.Larger(most, m.MaxApart(sc, cells[0], p99Response))
	}
	return most
}

func drawBuffer(m *evidence.Measured) evidence.Figure {
	x := evidence.LogZero("queue", "slots of the queue", evidence.Floats(bufferSizes))
	var planes []charts.Plane
	for j, of := range []struct {
		plane  charts.Plane
		number evidence.Number
		exact  func(*theory.Answer) float64
	}{
		{evidence.Plane("shed", x, shares("share of the tasks")), m.MeanOf(metric.Shed),
			func(a *theory.Answer) float64 { return a.ShedProb }},
		{evidence.Plane("p99 response", x, responses("of those accepted")), m.MeanOf(p99Response),
			(*theory.Answer).P99},
		{evidence.Plane("tasks queued", x, evidence.Log("mean, by Little's law", nil)),
			func(sc bench.Scenario) evidence.Interval { return meanQueued(m, sc).Positive() },
			func(a *theory.Answer) float64 {
				return evidence.Point(a.Throughput * a.MeanWait).Positive().Mid
			}},
	} {
		for i, c := range bufferCases {
			s := evidence.Curve(charts.Series{Name: c.name, Style: i}, bufferSizes,
				bufferSweep(Quick, shedding, c), of.number)
			if j == 0 && len(s.X) == 0 {
				return evidence.Figure{}
			}
			if of.plane.Add(s); c.arrival == "poisson" {
				of.plane.Add(evidence.Exact(s, bufferBand,
					func(queue float64) float64 { return of.exact(c.exact(int(queue))) }))
			}
		}
		planes = append(planes, of.plane)
	}
	return evidence.Figure{
		Name:  "buffer",
		Title: "A longer buffer under bursts and under a lasting overload",
		Subtitle: fmt.Sprintf("%s, %d workers, tasks of 8 ms; a task is refused if the queue is "+
			"full",
			shedding, limit),
		Caption: []string{
			"Memory counts the queued tasks, not the empty queue.",
			"Bands: exact for Poisson arrivals (M/M/k/K); bulks have no closed form, and none " +
				"is drawn.",
			m.Means(bufferCells(Quick, shedding)),
		},
	}.Planes(planes...)
}

var bufferBand = []float64{0, 1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 1000, 2000,
	5000, 10_000}

func (c bufferCase) exact(queue int) *theory.Answer {
	return theory.Must(theory.MMkK(theory.Pool{Rate: c.load * limit / bufferMean,
		MeanService: bufferMean, Limit: limit}, queue))
}
