package why

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/text/quantity"
)

// gc: the garbage collector has processors that tasks want, stops them, and makes them mark.
var gc = rule{
	name: "gc",
	// less than this no program pays attention to: the collector's own goal is a quarter
	shown:     func(v *view) bool { return v.is("gc-cpu") >= 0.05 },
	otherwise: "scheduler",
	evidence: func(v *view) string {
		return fmt.Sprintf("the collector has %s of the CPU time, in %.0f cycles; a task allocates "+
			"%s kB", quantity.WholeShare(v.is("gc-cpu")), v.is("gc-cycles"),
			quantity.Digits(v.is("B/op")/1000))
	},
	remedy: func(*view) string { return "allocate less, or raise GOGC" },
}
