package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

var gc = rule{
	name:    "gc",
	meaning: "the garbage collector uses the processors",
	cure:    "allocate less, or raise `GOGC`",
	// A smaller share is normal: the collector's own goal is a quarter.
	shown:     func(v *view) bool { return v.valueOrZero(metric.GCCPU) >= 0.05 },
	otherwise: scheduler.name,
	evidence: func(v *view) string {
		return clauses(v.clause("the garbage collector uses %s of the CPU time", metric.GCCPU,
			text.WholeShare)+v.clause(", in %s cycles", metric.GCCycles, formatWhole),
			v.clause("a task allocates %s kB", metric.BytesPerOp, func(bytes float64) string {
				return text.Digits(bytes / 1000)
			}))
	},
	remedy: func(*view) string { return "allocate less, or raise GOGC" },
}

func formatWhole(x float64) string { return fmt.Sprintf("%.0f", x) }
