package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text/quantity"
)

// work: the tasks themselves take that long.
var work = rule{
	name: "work",
	evidence: func(v *view) string {
		service, ok := v.known(metric.MeanService)
		if !ok {
			return "the task itself takes long"
		}
		mean := service - v.part(metric.MeanTarget)
		if tail := v.part(metric.TailService) - v.part(metric.TailTarget); tail > 2*mean {
			return fmt.Sprintf("the slowest tasks are long themselves, %s; the mean is %s",
				quantity.Seconds(tail), quantity.Seconds(mean))
		}
		return fmt.Sprintf("the task itself takes %s on average", quantity.Seconds(mean))
	},
	remedy: func(*view) string { return "a shorter task: no pool helps" },
}
