package studies

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// shedPart is the pool that sheds. Without a queue the variance has no effect (Erlang B is
// insensitive). The longer the queue, the larger the effect.
var shedPart = variancePart{shedCells, nil, answerShed}

var slots = []int{0, limit, 4 * limit}

func shedCell(queue int, c2 float64) bench.Scenario {
	sc := varianceScenario(shedding, workWithC2(c2), poisson(varianceLoad),
		tasksFor(20_000, c2, 90_000))
	sc.Queue = queueLength(queue)
	return sc
}

func shedCells(size Size) (cells []bench.Scenario) {
	for _, c2 := range atSize(size, varianceC2, fewC2) {
		for _, queue := range slots {
			cells = append(cells, shedCell(queue, c2))
		}
	}
	return lengths{0.2, 1, 5}.of(size, cells)
}

// shareShed returns the exact share that a queue of so many slots sheds: for any task times without
// a queue, for exponential ones with a queue.
func shareShed(queue int) float64 {
	return theory.Must(theory.MMkK(theory.Pool{Rate: varianceLoad * limit, MeanService: 1,
		Limit: limit}, queue)).ShedProb
}

func drawShed(m *evidence.Measured) evidence.Figure {
	p := evidence.Plane("", c2Axis("squared coefficient of variation C² of the task times"),
		shares("share of the tasks shed"))
	for i, queue := range slots {
		s := charts.Series{Name: slotsName(queue), Style: i}
		for _, c2 := range varianceC2 {
			in := m.Mean(shedCell(queue, c2), metric.Shed)
			in.Lo = max(in.Lo, 0) // a share is not negative
			evidence.AddPoint(&s, c2, in)
		}
		at := []float64{1}
		if queue == 0 {
			at = []float64{0, varianceC2[len(varianceC2)-1]}
		}
		p.Add(s,
			evidence.Exact(s, at, func(float64) float64 { return shareShed(queue) }))
	}
	return evidence.Figure{
		Name:  "variance-shedding",
		Title: "Shedding: the cost of variance with and without a queue",
		Subtitle: fmt.Sprintf("%d workers at load %v; a task that finds no free slot is shed",
			limit, varianceLoad),
		Caption: []string{
			"Exact are the flat band (Erlang B, for any task times) and the dots at C² = 1 " +
				"(exponential task times).",
			"With a queue and other task times there is no closed form.",
			m.Means(shedCells(Standard)),
		},
	}.Planes(p)
}

func slotsName(queue int) string {
	if queue == 0 {
		return "no queue"
	}
	return fmt.Sprintf("%d slots", queue)
}

func answerShed(m *evidence.Measured, f *decide.Finding) {
	last := varianceC2[len(varianceC2)-1]
	var said []string
	for _, queue := range slots {
		from := m.Mean(shedCell(queue, 0), metric.Shed)
		to := m.Mean(shedCell(queue, last), metric.Shed)
		if !math.IsNaN(from.Mid + to.Mid) {
			said = append(said, fmt.Sprintf("%s and %s with %s", text.ShortShare(from.Mid),
				text.ShortShare(to.Mid), slotsName(queue)))
		}
	}
	f.Say(evidence.Said(said, "tasks shed at C² = 0 and at C² = %v", last))
}
