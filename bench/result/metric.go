package result

import (
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Metric is one number of a run and its unit.
type Metric struct {
	Unit  string
	Value float64
}

// EachDue calls add with each quantile over n due tasks, unless all were completed. Tasks that were
// not completed count as the slowest and have no value. at returns the time of the completed task
// of a rank, in nanoseconds.
func EachDue(
	n, completed int, of string, at func(rank int) int64, add func(unit string, v float64),
) {
	if completed == n {
		return
	}
	for _, q := range metric.Quantiles {
		if r := statistics.Rank(n, q.P); statistics.Resolvable(q.P, n) && r <= completed {
			add(decide.Due+q.Unit(of), float64(at(r))/1e9)
		}
	}
}
