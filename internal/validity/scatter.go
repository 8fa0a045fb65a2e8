package validity

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Scatter is the sampling variance of a p99 response, estimated from the run's own tasks.
type Scatter struct {
	Variance float64 // relative variance of the p99 times the number of tasks
	// number of independent tasks that would determine the share beyond the p99 with the same
	// accuracy
	Beyond float64
}

// scatterOf converts the scatter of the share of tasks beyond the p99 to responses by the slope of
// the tail. An interval by ranks would end at the longest response if few tasks are beyond.
func scatterOf(p99 float64, responses []int64) Scatter {
	const rare = 0.01
	n := float64(len(responses))
	shares := sharesBeyond(int64(math.Round(p99*observe.Second)), responses, maxStretches)
	independent := math.Sqrt(rare * (1 - rare) / n)
	se := max(observe.StandardError(shares), independent)
	tail := statistics.NearestRanks(nil, slices.Clone(responses), 1-2*rare, 1-rare/2)
	if tail[0] <= 0 || tail[0] == tail[1] {
		return Scatter{} // many tasks share the value
	}
	slope := math.Log(float64(tail[1])/float64(tail[0])) / math.Log(4) * se / rare
	return Scatter{Variance: n * slope * slope,
		Beyond: rare * n * independent * independent / (se * se)}
}

// trusted is the effective sample size beyond the p99 from which the run's estimate has more weight
// than the formula, which assumes FIFO order. On four slots at loads of 0.8 to 0.95, the formula
// gave 0.8 to 1.8 times the true variance for priorities or tenants, 1.3 to 5 for deadlines and 1.1
// to 18 for shortest first. The median run gave 0.02 to 1.2, because most runs contain no rare
// clusters.
const trusted = 12

// Combine combines the variances of the formula and of the run as a geometric mean. For the median
// run the result is 0.5 to 1.6 times the true variance.
func (s Scatter) Combine(theory float64) float64 {
	share := s.Beyond / (s.Beyond + trusted)
	return math.Pow(s.Variance, share) * math.Pow(theory, 1-share)
}

func (s Scatter) Suffices() bool { return s.Beyond >= 10 }
