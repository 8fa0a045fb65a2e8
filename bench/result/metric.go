package result

import (
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Metric is one judged number of a run, in the unit that names it.
type Metric struct {
	Unit  string
	Value float64
}

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
	for _, q := range metric.Quantiles {
		if r := statistics.Rank(n, q.P); statistics.Resolvable(q.P, n) && r <= completed {
			add(decide.Due+q.Of(of), float64(at(r))/1e9)
		}
	}
}
