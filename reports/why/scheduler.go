package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// The evidence is at least half as many waiting goroutines as processors, since the meter that
// counts them waits itself.
var scheduler = rule{
	name:    "scheduler",
	meaning: "more goroutines are ready than `GOMAXPROCS`",
	cure:    "fewer slots for tasks that compute, or more processors",
	shown: func(v *view) bool {
		ready, ok := v.known(metric.MeanRunnableGoroutines)
		return ok && ready >= v.processors()/2
	},
	otherwise: queueing.name,
	evidence: func(v *view) string {
		said := v.clause("%s goroutines are ready and do not run", metric.MeanRunnableGoroutines,
			text.Digits)
		if p := v.processors(); p > 0 && said != "" {
			said += fmt.Sprintf(", with GOMAXPROCS %g", p)
		}
		return clauses(said, v.clause("the waits are %s per task", metric.SchedPerOp, text.Seconds))
	},
	remedy: func(*view) string {
		return "more processors, or fewer slots for tasks that compute"
	},
}
