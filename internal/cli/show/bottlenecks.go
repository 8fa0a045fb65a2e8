package show

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

func bottlenecks(rows []Row) (lines []string) {
	for _, r := range rows {
		at, ok := r.Estimate(metric.Bottleneck)
		if !ok {
			continue
		}
		n, others := 0, []string(nil)
		for {
			use, ok := r.Estimate(metric.OfPipeline(n + 1))
			if !ok {
				break
			}
			if n++; n != int(at.Mid) {
				others = append(others, fmt.Sprintf("stage %d %s", n, text.Share(use.Mid)))
			}
		}
		lines = append(lines, fmt.Sprintf("bottleneck of %s: stage %.0f of %d, %s busy (%s)",
			r.Strategy, at.Mid, n, r.Show(metric.BottleneckUse), text.List(others)))
	}
	return lines
}
