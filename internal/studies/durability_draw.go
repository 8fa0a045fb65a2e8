package studies

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

func drawDurability(m *evidence.Measured) evidence.Figure {
	costs, _ := durableCosts(m)
	if !slices.ContainsFunc(costs,
		func(c durableCost) bool { return c.survives > strategies.Volatile }) {
		return evidence.Figure{}
	}
	panels := []charts.RowPanel{
		{Title: "cost of a task, eight clients", X: evidence.Log("seconds", charts.Seconds)},
		{Title: "from due to start, idle", X: evidence.Log("seconds", charts.Seconds)},
		{Title: "CPU of a task, without servers", X: evidence.Log("seconds", charts.Seconds)},
	}
	if disk := evidence.OfMedian(m.Values(diskCell(Quick), metric.P50Service)); disk.Mid > 0 {
		panels[0].Levels = []charts.Level{{Name: "an fsync of this disk", Y: disk.Mid}}
	}
	var rows []string
	var cells []bench.Scenario
	for _, c := range costs {
		rows = append(rows, c.strategy.String())
		cells = append(cells, durableCells(Quick, c.strategy)[0])
	}
	for level := strategies.Volatile; level <= strategies.PowerSafe; level++ {
		evidence.AddRows(panels, "survives "+level.String(), int(level), len(costs),
			func(row int) []evidence.Interval {
				c := costs[row]
				if c.survives != level {
					return nil
				}
				return []evidence.Interval{c.time, c.idle.Positive(), c.cpu.Positive()}
			})
	}
	return evidence.Figure{
		Name:  "durability-cost",
		Title: "Cost of a task, by the failures it survives",
		Subtitle: fmt.Sprintf("Tasks with almost no work, limit %d; real clock, this machine and "+
			"its disk", limit),
		Caption: []string{
			"The cost is the inverse of eight clients' throughput.",
			"The wait of a single task includes Submit and the confirmation.",
			"CPU time is of this process only. For embedded queues, this is all CPU time.",
			m.Medians(cells),
		},
	}.Rows(rows, panels...)
}
