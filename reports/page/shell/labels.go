package shell

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/reports/results"
)

// bestForLabel describes the class, priority or tenant whose best strategy by p99 is not the best
// for all tasks, by the largest ratio. The p99 of all tasks hides such preferences.
func (s Sweep) bestForLabel(a Answer) (text string) {
	const all = metric.P99Response
	if a.Unit != all {
		return ""
	}
	var cells []results.Cell
	for _, c := range s.at(a.X) {
		cells = append(cells, c.Cell)
	}
	overall := s.contest(a.X, all)
	if len(overall.in) < 2 {
		return ""
	}
	most := 1.0
	for _, l := range results.Labels(cells) {
		c := s.contest(a.X, l.P99())
		for _, k := range c.in {
			if k.Strategy != overall.in[0].Strategy || !c.isSignificant(c.in[0], k) {
				continue
			}
			if by := k.value / c.in[0].value; by > most {
				most = by
				text = fmt.Sprintf("; of %s it is %s with %s and %s with %s", l.Tasks(),
					c.formatValue(c.in[0]), c.in[0].Class, c.formatValue(k), k.Class)
			}
		}
	}
	return text
}
