package merge

import (
	"cmp"
	"slices"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/files/rundir"
)

// Slowest are the slowest of several parts of a load. What a task of one of them found is what
// it found of its part: of the others nobody knows, unless they came one after the other.
func Slowest(parts []*result.Result, together bool) (all []result.SlowTask) {
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
