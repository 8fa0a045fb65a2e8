package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text/quantity"
)

// gc: the garbage collector has processors that tasks want, stops them, and makes them mark.
var gc = rule{
	name: "gc",
	// less than this no program pays attention to: the collector's own goal is a quarter
	shown:     func(v *view) bool { return v.is(metric.GCCPU) >= 0.05 },
	otherwise: "scheduler",
	evidence: func(v *view) string {
		return fmt.Sprintf("the collector has %s of the CPU time, in %.0f cycles; a task allocates "+
			"%s kB", quantity.WholeShare(v.is(metric.GCCPU)), v.is(metric.GCCycles),
			quantity.Digits(v.is(metric.BytesPerOp)/1000))
	},
	remedy: func(*view) string { return "allocate less, or raise GOGC" },
}
