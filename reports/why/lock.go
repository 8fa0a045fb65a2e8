package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text/quantity"
)

// lock: tasks wait for each other at a mutex. One run says how long; several limits say what share
// of the work is serial, by the universal scalability law.
var lock = rule{
	name: "lock",
	evidence: func(v *view) string {
		said := fmt.Sprintf("tasks wait %s for locks, of a service of %s",
			quantity.Seconds(v.is(metric.MutexWaitPerOp)), quantity.Seconds(v.is(metric.MeanService)))
		if v.growth != nil {
			said += "; " + v.growth.serial()
		}
		return said
	},
	remedy: func(*view) string { return "hold the lock for less, or split it" },
}
