package studies

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// loopPart compares a pool at the same throughput in a closed loop and with open arrivals
// (Schroeder, Wierman and Harchol-Balter, "Open versus closed", NSDI 2006). A closed loop queues no
// more tasks than it has clients, so it hides the variance that an open service experiences.
var loopPart = variancePart{loopCells, nil, answerLoop}

// The clients keep four workers about nine tenths busy.
const (
	loopClients = 12
	thinkTime   = 2 // in mean task times
)

var openLoads = []float64{0.84, 0.88, 0.92}

func closedCell(c2 float64) bench.Scenario {
	arrivals := fmt.Sprintf("closed:clients=%d,think=exp(%v)", loopClients, thinkTime*unit)
	return varianceScenario(pooled, workWithC2(c2), loadOf(arrivals, 0),
		tasksFor(15_000, c2, 100_000))
}

func openCells(c2 float64) (cells []bench.Scenario) {
	loads := openLoads[1:]
	if c2 > 1 {
		loads = openLoads[:2]
	}
	for _, load := range loads {
		cells = append(cells,
			varianceScenario(pooled, workWithC2(c2), poisson(load), tasksFor(20_000, c2, 200_000)))
	}
	return cells
}

func loopCells(size Size) (cells []bench.Scenario) {
	for _, c2 := range atSize(size, varianceC2, fewC2) {
		cells = append(append(cells, closedCell(c2)), openCells(c2)...)
	}
	return lengths{0.25, 1, 5}.scale(size, cells)
}

func closedAt(m *evidence.Measured, c2 float64) evidence.Interval {
	return evidence.OfMean(m.Numbers(closedCell(c2), func(r evidence.Run) float64 {
		return r(meanResponse) / unit.Seconds()
	}))
}

// utilisationOf uses the response time law. The tasks completed by the end of the run would give a
// lower value, because the clients do not end together.
func utilisationOf(m *evidence.Measured, c2 float64) float64 {
	return loopClients / (closedAt(m, c2).Mid + thinkTime) / limit
}

func openAt(m *evidence.Measured, c2 float64) evidence.Interval {
	cells := openCells(c2)
	low, high := cells[0].Load.Relative, cells[1].Load.Relative
	at := utilisationOf(m, c2)
	return evidence.OfMean(m.Pairs(cells[0], cells[1], func(a, b evidence.Run) float64 {
		return interpolate(at, low, a(meanResponse), high, b(meanResponse)) / unit.Seconds()
	}))
}

// interpolate is the inverse of loadFor.
func interpolate(load, load1, response1, load2, response2 float64) float64 {
	part := math.Log((1-load)/(1-load1)) / math.Log((1-load2)/(1-load1))
	return response1 * math.Pow(response2/response1, part)
}

func drawLoop(m *evidence.Measured) evidence.Figure {
	open, closed := charts.Series{Name: "open: Poisson", Style: 1},
		charts.Series{Name: fmt.Sprintf("closed: %d clients", loopClients), Style: 0}
	exact := charts.Series{Name: open.Name, Style: 1, Theory: true}
	var widest float64
	for _, c2 := range varianceC2 {
		loop, arrivals := closedAt(m, c2), openAt(m, c2)
		if math.IsNaN(loop.Mid) || math.IsNaN(arrivals.Mid) {
			continue
		}
		widest = c2
		evidence.AddPoint(&closed, c2, loop)
		evidence.AddPoint(&open, c2, arrivals)
		if a := sharedPool(limit, utilisationOf(m, c2), c2); a != nil {
			exact.X, exact.Y = append(exact.X, c2), append(exact.Y, a.MeanResponse)
		}
	}
	if len(open.X) == 0 {
		return evidence.Figure{}
	}
	p := evidence.Plane("", c2Axis("squared coefficient of variation C² of the task times"),
		evidence.Log("mean response ÷ mean task time", charts.Count), open, closed, exact)
	if a, err := theory.MMkN(theory.Closed{Clients: loopClients, Think: thinkTime, MeanService: 1,
		Limit: limit}); err == nil {
		p.Add(charts.Series{Name: closed.Name, Style: 0, Theory: true,
			X: []float64{1}, Y: []float64{a.MeanResponse}})
	}
	if n := len(open.X) - 1; n > 0 {
		p.Remarks = []charts.Annotation{{Sign: charts.Gap, X: widest, Y: closed.Y[n], To: open.Y[n],
			Text: []string{"the same throughput", "×" + text.Short(open.Y[n]/closed.Y[n])}}}
	}
	return evidence.Figure{
		Name:  "variance-open-closed",
		Title: "Cost of variance for clients that wait for the answer, and for open arrivals",
		Subtitle: fmt.Sprintf("One shared pool of %d workers at the throughput that the %d "+
			"clients reach", limit, loopClients),
		Caption: []string{
			fmt.Sprintf("The clients think for two task times on average and keep the pool "+
				"%.1f %% to %.1f %% busy; the open pool is measured at two loads around that "+
				"and read off between them.",
				100*utilisationOf(m, widest), 100*utilisationOf(m, open.X[0])),
			m.Means(loopCells(Standard)),
			fmt.Sprintf("Exact are the band, M/D/%[1]d, M/M/%[1]d and M/H₂/%[1]d at the "+
				"measured throughput, and the dot of the closed loop at C² = 1; elsewhere a "+
				"closed loop has no closed form here.", limit),
		},
	}.Planes(p)
}

func answerLoop(m *evidence.Measured, f *decide.Finding) {
	for _, c2 := range []float64{varianceC2[0], varianceC2[len(varianceC2)-1]} {
		if loop, arrivals := closedAt(m, c2), openAt(m, c2); !math.IsNaN(loop.Mid) &&
			!math.IsNaN(arrivals.Mid) {
			f.Add("at C² = %v and the same throughput the mean response is %s task times with %d "+
				"clients that wait for it, and %s with Poisson arrivals", c2, loop, loopClients,
				arrivals)
		}
	}
}
