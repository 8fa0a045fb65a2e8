package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

var work = rule{
	name:    "work",
	meaning: "the tasks themselves are slow",
	cure:    "[profile](#profile-a-strategy) the task, because no pool helps",
	evidence: func(v *view) string {
		service, ok := v.known(metric.MeanService)
		if !ok {
			return "the task itself is slow"
		}
		mean := service - v.valueOrZero(metric.MeanTarget)
		if tail := v.valueOrZero(metric.TailService) - v.valueOrZero(metric.TailTarget); tail > 2*mean {
			return fmt.Sprintf("the slowest tasks have long service times, %s; the mean is %s",
				text.Seconds(tail), text.Seconds(mean))
		}
		return fmt.Sprintf("the service time of a task is %s on average", text.Seconds(mean))
	},
	remedy: func(*view) string { return "a shorter task: no pool helps" },
}
