package studies

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

var poisonBounds = []int{3, 30, 1000}

const poisonShare = 0.05

func poisonCell(place string, attempts int) bench.Scenario {
	return retryCell(retryTarget{target: fmt.Sprintf("flaky:errors=0,spikes=0,poison=%v",
		poisonShare)}, retryBounded(place, attempts))
}

// A poisonOutcome is the calls per good task, the share of all calls made for poison, and the
// seconds to the end of the last good task.
type poisonOutcome struct{ calls, wasted, seconds float64 }

func poisonOf(m *evidence.Measured, place string, attempts int) poisonOutcome {
	sc := poisonCell(place, attempts)
	calls := m.Mean(sc, metric.Attempts).Mid / (1 - m.Mean(sc, metric.Throttled).Mid)
	return poisonOutcome{calls, 1 - 1/calls, m.Mean(sc, metric.MaxResponse).Mid}
}

func poisonFloor(m *evidence.Measured) float64 {
	sc := poisonCell(retryPlaces[0], poisonBounds[0])
	return retryBatch * (1 - m.Mean(sc, metric.Throttled).Mid) * m.Mean(sc,
		metric.MeanService).Mid / retryPool
}

func answerPoison(m *evidence.Measured, f *decide.Finding) {
	for _, place := range retryPlaces {
		var said []string
		share := 0.0
		for _, n := range poisonBounds {
			if o := poisonOf(m, place, n); !math.IsNaN(o.calls + o.seconds) {
				share = m.Mean(poisonCell(place, n), metric.Throttled).Mid
				said = append(said, fmt.Sprintf("%s with at most %d attempts (%s of the calls "+
					"wasted)", text.ShortSeconds(o.seconds), n, text.ShortShare(o.wasted)))
			}
		}
		if len(said) > 0 {
			f.Add("retries %s, with %s of the tasks refused for good: the last good task ends "+
				"after %s", retryWhere[place], text.ShortShare(share), evidence.Series(said))
		}
	}
}

func drawPoison(m *evidence.Measured) evidence.Figure {
	panels := []charts.RowPanel{
		{Title: "calls", X: evidence.Log("calls for each good task", charts.Count),
			Levels: []charts.Level{{Name: "the least possible", Y: 1}}},
		{Title: "time", X: evidence.Log("end of the last good task", charts.Seconds, 6, 60, 600,
			3600, 36_000)}}
	panels[0].X.Reach = []float64{1}
	if floor := poisonFloor(m); !math.IsNaN(floor) {
		panels[1].Levels = []charts.Level{{Name: "the least possible", Y: floor}}
	}
	var rows []string
	var cells []bench.Scenario
	for _, n := range poisonBounds {
		rows = append(rows, fmt.Sprintf("at most %d attempts", n))
		cells = append(cells, poisonCell(retryPlaces[0], n))
	}
	for i, place := range retryPlaces {
		name := retryWhere[place]
		evidence.AddRows(panels, name, i, len(rows), func(row int) []evidence.Interval {
			o := poisonOf(m, place, poisonBounds[row])
			return evidence.Points(o.calls, o.seconds)
		})
	}
	return evidence.Figure{
		Name:  "retry-poison",
		Title: "Tasks that are always refused: effect of a limit on attempts on the other tasks",
		Subtitle: fmt.Sprintf("A batch of %d tasks, %d at once, each poison with a chance of "+
			"%s, and served at the first call otherwise", retryBatch, retryPool,
			text.ShortShare(poisonShare)),
		Caption: []string{
			"In place, a task in backoff keeps its worker. If there are more poison tasks than " +
				"workers, the pool stops until they become dead letters. In a delayed queue, " +
				"they only cost calls.",
			"Backoff with full jitter, from 100 ms, doubled up to 10 s.",
			fmt.Sprintf("Points: means of %s repetitions.", m.Repetitions(cells)),
		},
	}.Rows(rows, panels...)
}
