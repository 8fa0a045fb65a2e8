package outcome

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/workloads"
)

// showLabels prints the p99 of each class, priority or tenant of tasks, where there are several: a
// strategy that prefers some makes others wait, and the p99 of all tasks does not tell.
func showLabels(p *terminal.Printer, rows []Row) error {
	labels := results.Labels(cellsOf(rows))
	if len(labels) < 2 {
		return nil
	}
	columns := make([]Column, len(labels))
	for i, l := range labels {
		columns[i] = Column{Head: l.String(), Unit: l.P99()}
	}
	return p.Table(Table("p99 response of", columns, rows))
}

func cellsOf(rows []Row) (cells []results.Cell) {
	for _, r := range rows {
		cells = append(cells, r.Cell)
	}
	return cells
}

// labelNotes say of how many tenants and priorities there are results, where that is not all that
// the tasks have.
func labelNotes(rows []Row) (notes []string) {
	cells := cellsOf(rows)
	labels := results.Labels(cells)
	for _, of := range []struct{ one, all string }{{"tenant", "tenants"},
		{"priority", "priorities"}} {
		all, told := 0.0, 0
		for _, c := range cells {
			if v := c.Value(of.all); !math.IsNaN(v) {
				all = max(all, v)
			}
		}
		for _, l := range labels {
			if strings.HasPrefix(string(l), of.one+"-") {
				told++
			}
		}
		if int(all) > told {
			notes = append(notes, fmt.Sprintf("%.0f %s: results by %s are of %d, of those numbered "+
				"0 to %d", all, of.all, of.one, told, workloads.MostLabels-1))
		}
	}
	return notes
}
