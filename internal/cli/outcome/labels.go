package outcome

import (
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/reports/results"
)

// showLabels prints the p99 of each class, priority or tenant of tasks, where there are several: a
// strategy that prefers some makes others wait, and the p99 of all tasks does not tell.
func showLabels(p *terminal.Printer, rows []Row) error {
	cells := make([]results.Cell, len(rows))
	for i, r := range rows {
		cells[i] = r.Cell
	}
	labels := results.Labels(cells)
	if len(labels) < 2 {
		return nil
	}
	columns := make([]Column, len(labels))
	for i, l := range labels {
		columns[i] = Column{Head: l.String(), Unit: l.P99()}
	}
	return p.Table(Table("p99 response of", columns, rows))
}
