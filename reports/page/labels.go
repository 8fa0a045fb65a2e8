package page

import (
	"github.com/poolbench/poolbench/reports/results"
)

// Labels returns the table of classes, priorities and tenants, or nil if there is only one.
func Labels(g *Group) *Table {
	cells := make([]results.Cell, len(g.Cells))
	for i, c := range g.Cells {
		cells[i] = c.Cell
	}
	labels := results.Labels(cells)
	if g.Study >= 0 || len(labels) < 2 {
		return nil
	}
	t := &Table{Caption: "By class, priority or tenant of the tasks", Of: g.Varies()}
	var columns []Column
	for _, l := range labels {
		columns = append(columns,
			Column{Head: l.String() + ", p99", Unit: l.P99(), Hint: "of the response of these tasks"},
			Column{Head: "mean", Unit: l.Mean(), Hint: "of " + l.String()})
		if l.IsTenant() {
			columns = append(columns,
				Column{Head: "throughput", Unit: l.Throughput(),
					Hint: "tasks of " + l.String() + " completed per second"},
				Column{Head: "share", Unit: l.Share(),
					Hint: "share of the time in slots that " + l.String() + " had"})
		}
	}
	fill(g, t, shownColumns(g, columns))
	return t
}
