package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// poisonBounds are bounds on attempts at tasks that never succeed; the last is as good as none.
var poisonBounds = []int{3, 30, 1000}

// poisonShare of the tasks are poison: several times as many as there are places.
const poisonShare = 0.05

// poisonCell has poison tasks among good ones, which are not refused at all.
func poisonCell(place string, attempts int) bench.Scenario {
	return retryCell(retryDoor{target: fmt.Sprintf("flaky:errors=0,spikes=0,poison=%v", poisonShare)}, retryBounded(place, attempts))
}

// A poisonOutcome is what the good tasks have of poison ones: the calls for each good one, the share of all calls that poison took, and the seconds
// to the end of the last good one.
type poisonOutcome struct{ calls, wasted, seconds float64 }

func poisonOf(m *measured, place string, attempts int) poisonOutcome {
	sc := poisonCell(place, attempts)
	calls := m.mean(sc, "attempts/op").mid / (1 - m.mean(sc, "throttled/op").mid)
	return poisonOutcome{calls, 1 - 1/calls, m.mean(sc, "max-response-sec").mid}
}

// poisonFloor is the least time in which the places can do the good tasks.
func poisonFloor(m *measured) float64 {
	sc := poisonCell(retryPlaces[0], poisonBounds[0])
	return retryBatch * (1 - m.mean(sc, "throttled/op").mid) * m.mean(sc, "mean-service-sec").mid / retryPool
}

// poisonLines say what a bound on attempts saves.
func poisonLines(m *measured) (lines []string) {
	for _, place := range retryPlaces {
		var said []string
		share := 0.0
		for _, n := range poisonBounds {
			if o := poisonOf(m, place, n); !math.IsNaN(o.calls + o.seconds) {
				share = m.mean(poisonCell(place, n), "throttled/op").mid
				said = append(said, fmt.Sprintf("after %s with at most %d attempts, and %s of the calls were for nothing", evilTime(o.seconds), n, percent(o.wasted)))
			}
		}
		if len(said) > 0 {
			lines = append(lines, fmt.Sprintf("with %s of the tasks refused for good, the last good one is done, %s: %s", percent(share), retryWhere[place], strings.Join(said, "; ")))
		}
	}
	return lines
}

func drawPoison(m *measured) (reports.Figure, error) {
	calls := charts.RowPanel{Title: "calls", X: charts.Axis{Label: "calls for each good task (log scale)", Log: true, Format: short, Reach: []float64{1}}, Levels: []charts.Level{{Name: "the least possible", Y: 1}}}
	late := charts.RowPanel{Title: "time", X: charts.Axis{Label: "end of the last good task (log scale)", Log: true, Format: evilTime, Marks: []float64{6, 60, 600, 3600, 36_000}}}
	if floor := poisonFloor(m); !math.IsNaN(floor) {
		late.Levels = []charts.Level{{Name: "the least possible", Y: floor}}
	}
	var rows []string
	var cells []bench.Scenario
	for _, n := range poisonBounds {
		rows = append(rows, fmt.Sprintf("at most %d attempts", n))
		cells = append(cells, poisonCell(retryPlaces[0], n))
	}
	for i, place := range retryPlaces {
		var values [2][]charts.RowValue
		for _, n := range poisonBounds {
			o := poisonOf(m, place, n)
			values[0], values[1] = append(values[0], retryPoint(o.calls)), append(values[1], retryPoint(o.seconds))
		}
		for j, p := range []*charts.RowPanel{&calls, &late} {
			p.Series = append(p.Series, charts.RowSeries{Name: retryWhere[place], Style: i, Values: values[j]})
		}
	}
	c, err := charts.Rows("Tasks that are refused for good: what a bound on attempts saves the others", rows, []charts.RowPanel{calls, late})
	if err != nil {
		return reports.Figure{}, err
	}
	c.Subtitle = fmt.Sprintf("A batch of %d tasks, %d at once, each poison with a chance of %s, and served at the first call otherwise", retryBatch, retryPool, percent(poisonShare))
	return reports.Figure{Name: "retry-poison", Chart: c, Caption: strings.Join([]string{
		"In place, a task in backoff keeps its worker, so more poison tasks than places stop the pool until they are given up; from a delayed queue they cost calls only.",
		"Full jitter of 100 ms, doubled up to 10 s.",
		fmt.Sprintf("The means of %s repetitions.", m.repetitions(cells)),
	}, " ")}, nil
}
