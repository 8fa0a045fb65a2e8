package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// shedPart is the pool that refuses: without a queue the variance of the task times does not matter at all (Erlang B is
// insensitive), and the longer the queue, the more of what it could save is lost to variance.
var shedPart = variancePart{shedCells, nil, drawShed, answerShed}

var slots = []int{0, limit, 4 * limit}

const shedding = "bounded_queue_shed"

func shedCell(queue int, c2 float64) bench.Scenario {
	return only(bench.Scenario{
		Queue:    queue,
		Workload: workload(spreading(c2))[0],
		Load:     bench.Load{Arrival: arrival("poisson")[0], Relative: varianceLoad},
		Stop:     sized(20_000, c2, 90_000),
	}, shedding)
}

func shedCells(size Size) (cells []bench.Scenario) {
	for _, c2 := range atSize(size, variances, fewVariances) {
		for _, queue := range slots {
			cells = append(cells, shedCell(queue, c2))
		}
	}
	return lengths{0.2, 1, 5}.of(size, cells)
}

// shareShed is the exact share that a queue of so many slots sheds: for any task times without one, for exponential ones with one.
func shareShed(queue int) float64 {
	a, err := theory.MMkK(theory.Pool{Rate: varianceLoad * limit, MeanService: 1, Limit: limit}, queue)
	if err != nil {
		panic(err)
	}
	return a.ShedProb
}

func drawShed(m *measured) (f reports.Figure, err error) {
	p := charts.Plane{
		X: charts.Axis{Label: "squared coefficient of variation C² of the task times (log scale)", Log: true, Zero: true, Marks: variances, Name: "C²"},
		Y: charts.Axis{Label: "share of the tasks that is shed", Format: percent},
	}
	any := false
	for i, queue := range slots {
		s := charts.Series{Name: slotsName(queue), Style: i}
		for _, c2 := range variances {
			values := m.values(shedCell(queue, c2), "shed/op")
			if len(values) == 0 {
				continue
			}
			in := ofMean(values)
			in.lo = max(in.lo, 0) // no share is below
			add(&s, c2, in)
			any = true
		}
		exact := charts.Series{Name: s.Name, Style: i, Theory: true, X: []float64{1}, Y: []float64{shareShed(queue)}}
		if queue == 0 {
			exact.X, exact.Y = []float64{0, variances[len(variances)-1]}, []float64{exact.Y[0], exact.Y[0]}
		}
		p.Series = append(p.Series, s, exact)
	}
	if !any {
		return f, &charts.EmptyError{Chart: "shedding"}
	}
	c, err := charts.Planes("Shedding: variance costs nothing without a queue, and spoils one", []charts.Plane{p})
	if err != nil {
		return f, err
	}
	c.Subtitle = fmt.Sprintf("%d workers that %.0f %% of their capacity is offered; what finds no slot free is refused", limit, 100*varianceLoad)
	return reports.Figure{Name: "variance-shedding", Chart: c, Caption: strings.Join([]string{
		"Exact are the flat band, Erlang B, which holds for any task times, and the dots at C² = 1, where task times are exponential.",
		"With a queue and any other task times there is no closed form, and none is drawn.",
		fmt.Sprintf("Points: %s, the mean of %s repetitions and its 95 %% interval by Student's t.", shedding, m.repetitions(shedCells(Standard))),
	}, " ")}, nil
}

func slotsName(queue int) string {
	if queue == 0 {
		return "no queue"
	}
	return fmt.Sprintf("%d slots", queue)
}

func percent(share float64) string {
	if share == 0 {
		return "0 %"
	}
	return short(100*share) + " %"
}

func answerShed(m *measured) (lines []string) {
	last := variances[len(variances)-1]
	for _, queue := range slots {
		from, to := ofMean(m.values(shedCell(queue, 0), "shed/op")), ofMean(m.values(shedCell(queue, last), "shed/op"))
		if math.IsNaN(from.mid) || math.IsNaN(to.mid) {
			continue
		}
		line := fmt.Sprintf("%s: %s of the tasks are shed at C² = 0, %s at C² = %v", slotsName(queue), percent(from.mid), percent(to.mid), last)
		if queue == 0 {
			line += fmt.Sprintf("; Erlang B says %s for any", percent(shareShed(0)))
		}
		lines = append(lines, line)
	}
	return lines
}
