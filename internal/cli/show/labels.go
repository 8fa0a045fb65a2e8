package show

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/workloads"
)

// A strategy that prefers some classes, priorities or tenants delays others, which the p99 of all
// tasks does not show.
func showLabels(p *terminal.Printer, rows []Row) error {
	labels := results.Labels(cellsOf(rows))
	if len(labels) < 2 {
		return nil
	}
	var responses, shares []Column
	for _, l := range labels {
		responses = append(responses, Column{Head: l.String(), Unit: l.P99()})
		if l.IsTenant() {
			shares = append(shares, Column{Head: l.String(), Unit: l.Share()})
		}
	}
	if err := p.Table(Table("p99 response of", responses, rows)); err != nil || shares == nil {
		return err
	}
	return p.Table(Table("share of slots of", shares, rows))
}

func cellsOf(rows []Row) (cells []results.Cell) {
	for _, r := range rows {
		cells = append(cells, r.Cell)
	}
	return cells
}

func labelNotes(rows []Row) (notes []string) {
	cells := cellsOf(rows)
	labels := results.Labels(cells)
	for _, of := range []struct{ one, all string }{{"tenant", metric.Tenants},
		{"priority", metric.Priorities}} {
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
			notes = append(notes, fmt.Sprintf("%.0f %s: results by %s cover only %d, numbers 0 "+
				"to %d", all, of.all, of.one, told, workloads.MaxLabels-1))
		}
	}
	return notes
}
