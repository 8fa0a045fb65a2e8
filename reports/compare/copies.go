package compare

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/reports/results"
)

// A virtual run that an earlier input in the same column contains is not a further sample.
func withoutCopies(inputs []results.Input, columns bool) []results.Input {
	type place struct {
		results.RunID
		label string
	}
	seen := map[place]*results.Results{}
	inputs = slices.Clone(inputs)
	for i, in := range inputs {
		isCopy := func(r results.Run) bool {
			id, virtual := r.ID()
			if !virtual {
				return false
			}
			at := place{RunID: id}
			if columns {
				at.label = in.Label
			}
			if seen[at] == nil {
				seen[at] = in.Results
			}
			return seen[at] != in.Results
		}
		if !slices.ContainsFunc(in.Results.Runs, isCopy) {
			continue
		}
		r := *in.Results
		r.Runs = slices.DeleteFunc(slices.Clone(r.Runs), isCopy)
		r.Warnings = append(slices.Clip(r.Warnings),
			fmt.Sprintf("%s: %d virtual runs, by name and seed, are already in an earlier input, "+
				"so they are omitted", r.Path, len(in.Results.Runs)-len(r.Runs)))
		inputs[i].Results = &r
	}
	return inputs
}
