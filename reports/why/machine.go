package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// Other programs, or other machines on the host, used the processors.
var machine = rule{
	name:    "machine",
	meaning: "other programs used the processors",
	cure:    "use an idle machine",
	shown: func(v *view) bool {
		known := false
		for _, sign := range machineSigns {
			if v.valueOrZero(sign.unit) > busy {
				return true
			}
			known = known || v.has(sign.unit)
		}
		return !known
	},
	otherwise: scheduler.name,
	evidence: func(v *view) string {
		said := []string{v.clause("threads wait %s per task for a processor", metric.RunqueuePerOp,
			text.Seconds)}
		for _, sign := range machineSigns {
			if x := v.valueOrZero(sign.unit); x > busy {
				said = append(said, fmt.Sprintf(sign.says, text.WholeShare(x)))
				break
			}
		}
		return clauses(said...)
	},
	remedy: func(*view) string { return "use an idle machine" },
}

// as in package bench
const busy = 0.05

var machineSigns = []struct{ unit, says string }{
	{metric.CPUOthers, "other programs use %s"},
	{metric.CPUSteal, "the host gives %s to other guests"},
	{metric.CPUPressure, "for %s of the time, a thread has no processor"},
}
