package show

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// bottlenecks names the busiest stage of each pipeline with stages, in a line each.
func bottlenecks(rows []Row) (lines []string) {
	for _, r := range rows {
		at, ok := r.Estimate(metric.Bottleneck)
		if !ok {
			continue
		}
		var all []string
		for stage := 1; ; stage++ {
			use, ok := r.Estimate(metric.OfPipeline(stage))
			if !ok {
				break
			}
			all = append(all, fmt.Sprintf("%d: %s", stage, text.Share(use.Mid)))
		}
		lines = append(lines, fmt.Sprintf("bottleneck of %s: stage %.0f of %d, %s busy (%s)",
			r.Strategy, at.Mid, len(all), r.Show(metric.BottleneckUse), text.List(all)))
	}
	return lines
}
