package cli

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/reports/results"
)

// A record is a run that was written down.
type record struct {
	section      int            // of the plan; else the number of the load
	answers      *attack.Report // of a load; nil for other runs
	id           runID
	*results.Run // as the directory has it, once that is read
}

// A runID tells the runs of one execution apart.
type runID struct {
	name string
	seed uint64
}

// Metric implements objectives.Run.
func (r record) Metric(unit string) (float64, bool) { return r.Value(unit) }

// invalid says, a line each, why a result is INVALID; nothing where it is not.
func invalid(r *bench.Result) (lines []string) {
	why := slices.Clone(r.Broken)
	for _, reason := range r.Reasons {
		if reason.Verdict == bench.Invalid && !slices.Contains(why, reason.Text) {
			// a broken law is a reason, too
			why = append(why, reason.String())
		}
	}
	for _, w := range why {
		lines = append(lines, fmt.Sprintf("%s (seed %d) is INVALID: %s",
			r.Name, r.Seed, w))
	}
	return lines
}
