package observe

import (
	"cmp"
	"slices"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/rundir"
)

// MergeSlowest returns the slowest tasks of several parts of a load. The state that a task found is
// known for its own part only, unless the parts ran one after another.
func MergeSlowest(parts []*result.Result, together bool) (all []result.SlowTask) {
	for _, p := range parts {
		all = append(all, p.Slowest...)
	}
	if len(parts) > 1 && together {
		for i := range all {
			all[i].InFlight, all[i].Waiting = rundir.Unknown, rundir.Unknown
		}
	}
	slices.SortStableFunc(all, func(a, b result.SlowTask) int {
		return cmp.Compare(b.Response(), a.Response())
	})
	return all[:min(len(all), rundir.MostSlowest)]
}
