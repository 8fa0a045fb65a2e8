package why

import (
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// One run gives the time at a mutex. Several limits give the serial share of the work, by the
// universal scalability law.
var lock = rule{
	name:    "lock",
	meaning: "goroutines wait for a mutex",
	cure:    "hold it for less time, or split it",
	evidence: func(v *view) string {
		said := v.clause("tasks wait %s for locks", metric.MutexWaitPerOp, text.Seconds) +
			v.clause(", of a service time of %s", metric.MeanService, text.Seconds)
		if v.growth != nil {
			said += "; " + v.growth.serial()
		}
		return said
	},
	remedy: func(*view) string { return "hold the lock for less time, or split it" },
}
