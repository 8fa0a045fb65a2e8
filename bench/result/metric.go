package result

import (
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/statistics/samples"
)

// A Metric is one judged number of a run, in the unit that names it.
type Metric struct {
	Unit  string
	Value float64
}

// Quantiles are the reported ones, with the name each has in a unit. A quantile is the nearest rank
// ⌈pN⌉.
var Quantiles = []struct {
	Name string
	P    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}}

// EachDue calls add with each quantile of a time over n tasks that were due, of which those that
// were not completed, all but so many, are the slowest. at returns the time of the completed task
// of a rank, in nanoseconds. A quantile among those that were not completed has no value; if all
// were completed, there is nothing to add to the quantiles of completed tasks.
func EachDue(
	n, completed int, of string, at func(rank int) int64, add func(unit string, v float64),
) {
	if completed == n {
		return
	}
	for _, q := range Quantiles {
		if r := samples.Rank(n, q.P); samples.Resolvable(q.P, n) && r <= completed {
			add(decide.Due+q.Name+"-"+of+"-sec", float64(at(r))/1e9)
		}
	}
}
