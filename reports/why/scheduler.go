package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text/quantity"
)

// scheduler: the program's own goroutines want more processors than there are. It takes as many
// that are ready and do not run as there are processors, or half as many: the meter that counts
// them waits itself. Where they are fewer, tasks queue for processors as others do for slots.
var scheduler = rule{
	name:      "scheduler",
	shown:     func(v *view) bool { return v.is(metric.MeanRunnableGoroutines) >= v.processors()/2 },
	otherwise: "queueing",
	evidence: func(v *view) string {
		return fmt.Sprintf("%s goroutines are ready and do not run, with GOMAXPROCS %g; "+
			"they wait %s a task",
			quantity.Digits(v.is(metric.MeanRunnableGoroutines)), v.processors(),
			quantity.Seconds(v.is(metric.SchedPerOp)))
	},
	remedy: func(*view) string {
		return "more processors, or fewer slots for tasks that compute"
	},
}
