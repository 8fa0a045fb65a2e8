package studies

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
)

func drawRetryWays(m *evidence.Measured) (f page.Figure, err error) {
	ways := retryWays(retryDoors[0])
	var rows []string
	var cells []bench.Scenario
	for _, way := range ways {
		rows = append(rows, way.name())
		cells = append(cells, retryCell(retryDoors[0], way.strategy))
	}
	calls := charts.RowPanel{Title: "calls",
		X: charts.Axis{Label: "calls a task (log scale)", Log: true, Format: words.Short,
			Reach: []float64{1}}, Levels: []charts.Level{{Name: "the least possible", Y: 1}}}
	late := charts.RowPanel{Title: "time",
		X: charts.Axis{Label: "time to the end ÷ the least possible (log scale)", Log: true,
			Format: words.Short, Reach: []float64{1}}, Levels: calls.Levels}
	lost := charts.RowPanel{Title: "losses",
		X: charts.Axis{Label: "share of the tasks that was given up", Format: words.Percent,
			Reach: []float64{0, 1}}}
	nan := math.NaN()
	for i, door := range retryDoors {
		var values [3][]charts.RowValue
		for _, way := range ways {
			at := [3]float64{nan, nan, nan}
			if slices.Contains(retryWays(door), way) {
				o := retryOf(m, door, way)
				at[2] = o.lost
				if o.lost == 0 {
					at[0], at[1] = o.calls, o.seconds/o.floor
				}
			}
			for j := range at {
				values[j] = append(values[j], evidence.Alone(at[j]).Row())
			}
		}
		for j, p := range []*charts.RowPanel{&calls, &late, &lost} {
			p.Series = append(p.Series,
				charts.RowSeries{Name: door.name(), Style: i, Values: values[j]})
		}
	}
	return evidence.Figure{
		Name:  "retry",
		Title: "Trying again past a rate limit: how many calls, how late, and what is lost",
		Subtitle: fmt.Sprintf("A batch of %d tasks, %d at once, at targets that serve about %d "+
			"calls a second", retryBatch, retryPool, retryRate),
		Caption: []string{
			fmt.Sprintf("The backoff is 1 s, doubled up to 10 s; no backoff is 10 ms, for the "+
				"way there and back. %s cannot say when to come again.",
				retryDoors[len(retryDoors)-1].name()),
			"In place: the worker sleeps. Queued: it goes on to the next task, which meets the " +
				"same refusal.",
			fmt.Sprintf("A task has at most %d attempts. Calls and time are shown where "+
				"nothing was lost. The least time is (N − burst)/rate, and at the last target "+
				"all the work over its slots.", retryTries),
			fmt.Sprintf("Points: means of %s repetitions.", m.Repetitions(cells)),
		},
	}.Rows(rows, calls, late, lost)
}
