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
	least := []charts.Level{{Name: "the least possible", Y: 1}}
	panels := []charts.RowPanel{
		{Title: "calls", X: evidence.Log("calls a task", words.Short), Levels: least},
		{Title: "time", X: evidence.Log("time to the end ÷ the least possible", words.Short),
			Levels: least},
		{Title: "losses", X: shares("share of the tasks that was given up", 0, 1)}}
	panels[0].X.Reach, panels[1].X.Reach = []float64{1}, []float64{1}
	nan := math.NaN()
	for i, door := range retryDoors {
		of := retryWays(door)
		evidence.AddRows(panels, door.name(), i, len(ways), func(row int) []float64 {
			if !slices.Contains(of, ways[row]) {
				return []float64{nan, nan, nan}
			}
			o := retryOf(m, door, ways[row])
			if o.lost != 0 {
				return []float64{nan, nan, o.lost}
			}
			return []float64{o.calls, o.seconds / o.floor, o.lost}
		})
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
	}.Rows(rows, panels...)
}
