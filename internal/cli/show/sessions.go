package show

import (
	"github.com/poolbench/poolbench/internal/metric"
)

// A session has the same units as a step.
var stepColumns = []Column{
	{Head: "count", Unit: metric.Count},
	{Head: "mean response", Unit: metric.MeanResponse},
	{Head: "p50", Unit: metric.P50Response},
	{Head: "p95", Unit: metric.P95Response},
	{Head: "p99", Unit: metric.P99Response},
	{Head: "failed", Unit: metric.Failed},
	{Head: "not sent", Unit: metric.Unsent},
}

func (e *loadSeries) showSteps(k int, r Row) error {
	steps := e.loads[k].steps
	if len(steps) == 0 || len(r.Cell) == 0 {
		return nil
	}
	of := "step"
	if len(e.loads) > 1 {
		of = r.Strategy + ": step"
	}
	lines := [][]string{append([]string{of}, Heads(stepColumns)...)}
	line := func(name, prefix string) {
		cells := []string{name}
		for _, c := range stepColumns {
			cells = append(cells, r.part(prefix, c))
		}
		lines = append(lines, cells)
	}
	for i, step := range steps {
		line(step, metric.OfStep(i+1, step, ""))
	}
	line("whole session", metric.Sessions)
	e.Prose("\n")
	if err := e.Table(lines); err != nil {
		return err
	}
	const length = metric.Sessions + metric.MeanLength
	if _, ok := r.Estimate(length); ok {
		e.Paragraph("  ", "The response of a session is the sum of the responses of its steps. Including "+
			"think time, a session lasted "+r.Show(length)+" on average.", Width)
	}
	return nil
}
