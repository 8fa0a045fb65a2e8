package studies

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
)

// loopPart sets the same pool, at the same throughput, before clients that wait for their answer
// and before arrivals that do not wait (Schroeder, Wierman and Harchol-Balter, "Open versus
// closed", NSDI 2006). A closed loop cannot queue more than its clients, so it hides variance; a
// benchmark with a fixed number of clients does not see what a service on the open net will.
//
// The throughput of the loop is known only when it has been measured. So the open pool is measured
// at two loads around it, and read off between them as in capacityPart.
var loopPart = variancePart{loopCells, nil, answerLoop}

// clients think for two task times on the mean: twelve of them keep four workers near nine tenths
// busy.
const (
	clients = 12
	thought = 2 // mean think time, in mean task times
)

var openLoads = []float64{0.84, 0.88, 0.92}

func closedCell(c2 float64) bench.Scenario {
	return only(bench.Scenario{
		Workload: workload(spreading(c2))[0],
		Load: bench.Load{Arrival: arrival(fmt.Sprintf("closed:clients=%d,think=exp(%v)",
			clients, thought*unit))[0]},
		Stop: sized(15_000, c2, 100_000),
	}, pooled)
}

// openCells are at the loads around that of the loop, which falls from above the middle one to
// below it as C² grows.
func openCells(c2 float64) (cells []bench.Scenario) {
	loads := openLoads[1:]
	if c2 > 1 {
		loads = openLoads[:2]
	}
	for _, load := range loads {
		cells = append(cells, only(bench.Scenario{
			Workload: workload(spreading(c2))[0],
			Load:     bench.Load{Arrival: arrival("poisson")[0], Relative: load},
			Stop:     sized(20_000, c2, 200_000),
		}, pooled))
	}
	return cells
}

func loopCells(size Size) (cells []bench.Scenario) {
	for _, c2 := range atSize(size, variances, fewVariances) {
		cells = append(append(cells, closedCell(c2)), openCells(c2)...)
	}
	return lengths{0.25, 1, 5}.of(size, cells)
}

// closedAt is the loop's mean response, in mean task times.
func closedAt(m *evidence.Measured, c2 float64) evidence.Interval {
	return evidence.OfMean(m.Of(closedCell(c2), func(r evidence.Run) float64 {
		return r(meanResponse) / unit.Seconds()
	}))
}

// utilisationOf is that of the loop, by the response time law: each client has a task in every
// response and thought. What was completed by the end of the run would say less, because the
// clients do not end together.
func utilisationOf(m *evidence.Measured, c2 float64) float64 {
	return clients / (closedAt(m, c2).Mid + thought) / limit
}

// openAt is the mean response of the open pool at the throughput that the loop has, in mean task
// times, repetition by repetition.
func openAt(m *evidence.Measured, c2 float64) evidence.Interval {
	cells := openCells(c2)
	low, high := cells[0].Load.Relative, cells[1].Load.Relative
	at := utilisationOf(m, c2)
	return evidence.OfMean(m.Pairs(cells[0], cells[1], func(a, b evidence.Run) float64 {
		return between(at, low, a(meanResponse), high, b(meanResponse)) / unit.Seconds()
	}))
}

// between is the response at a load, of two responses at two loads: the inverse of loadFor.
func between(load, load1, response1, load2, response2 float64) float64 {
	part := math.Log((1-load)/(1-load1)) / math.Log((1-load2)/(1-load1))
	return response1 * math.Pow(response2/response1, part)
}

func drawLoop(m *evidence.Measured) (f page.Figure, err error) {
	open, closed := charts.Series{Name: "open: Poisson", Style: 1},
		charts.Series{Name: fmt.Sprintf("closed: %d clients", clients), Style: 0}
	exact := charts.Series{Name: open.Name, Style: 1, Theory: true}
	var widest float64
	for _, c2 := range variances {
		loop, arrivals := closedAt(m, c2), openAt(m, c2)
		if math.IsNaN(loop.Mid) || math.IsNaN(arrivals.Mid) {
			continue
		}
		widest = c2
		evidence.AddPoint(&closed, c2, loop)
		evidence.AddPoint(&open, c2, arrivals)
		if a := shared(limit, utilisationOf(m, c2), c2); a != nil {
			exact.X, exact.Y = append(exact.X, c2), append(exact.Y, a.MeanResponse)
		}
	}
	if len(open.X) == 0 {
		return f, &charts.EmptyError{Chart: "open and closed"}
	}
	p := evidence.Plane("", spreads("squared coefficient of variation C² of the task times"),
		evidence.Log("mean response ÷ mean task time", words.Short), open, closed, exact)
	if a, err := theory.MMkN(theory.Closed{Clients: clients, Think: thought, MeanService: 1,
		Limit: limit}); err == nil {
		p.Series = append(p.Series, charts.Series{Name: closed.Name, Style: 0, Theory: true,
			X: []float64{1}, Y: []float64{a.MeanResponse}})
	}
	if n := len(open.X) - 1; n > 0 {
		p.Remarks = []charts.Remark{{Sign: charts.Gap, X: widest, Y: closed.Y[n], To: open.Y[n],
			Text: []string{"the same throughput", "×" + words.Short(open.Y[n]/closed.Y[n])}}}
	}
	return evidence.Figure{
		Name:  "variance-open-closed",
		Title: "What variance costs clients that wait for the answer, and arrivals that do not",
		Subtitle: fmt.Sprintf("One shared pool of %d workers at the throughput that the %d "+
			"clients reach", limit, clients),
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

func answerLoop(m *evidence.Measured, f *finding.Finding) {
	for _, c2 := range []float64{variances[0], variances[len(variances)-1]} {
		if loop, arrivals := closedAt(m, c2), openAt(m, c2); !math.IsNaN(loop.Mid) &&
			!math.IsNaN(arrivals.Mid) {
			f.Add("at C² = %v and the same throughput the mean response is %s task times with %d "+
				"clients that wait for it, and %s with Poisson arrivals", c2, loop, clients,
				arrivals)
		}
	}
}
