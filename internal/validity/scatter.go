package validity

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Scatter is the scatter of a p99 response estimated from the run's own tasks.
type Scatter struct {
	Variance float64 // relative, times the number of tasks
	// number of independent tasks beyond the p99 that would determine the share beyond it with the
	// same accuracy
	Beyond float64
}

// scatterOf uses the share of tasks beyond the p99 in stretches of the run, converted to responses
// by the slope of the tail around it. The ends of an interval would be the longest responses if few
// tasks are beyond.
func scatterOf(p99 float64, responses []int64) Scatter {
	const rare = 0.01
	n := float64(len(responses))
	shares := sharesBeyond(int64(math.Round(p99*observe.Second)), responses, mostStretches)
	independent := math.Sqrt(rare * (1 - rare) / n)
	se := max(observe.StandardError(shares), independent)
	tail := statistics.NearestRanks(nil, slices.Clone(responses), 1-2*rare, 1-rare/2)
	if tail[0] <= 0 || tail[0] == tail[1] {
		return Scatter{} // many tasks have the same value
	}
	slope := math.Log(float64(tail[1])/float64(tail[0])) / math.Log(4) * se / rare
	return Scatter{Variance: n * slope * slope,
		Beyond: rare * n * independent * independent / (se * se)}
}

// trusted is the number of independent tasks beyond the p99 that counts as much as theory, which
// does not know the order. Compared with the true variance of 100 seeds of four slots at loads of
// 0.8 to 0.95 and 18,000 tasks, and of 50 seeds of 180,000, theory gave 0.8 to 1.8 times for
// priorities or tenants, 1.3 to 5 by deadline and 1.1 to 18 with the shortest first. The median run
// alone gave 0.02 to 1.2 times, less with fewer tasks beyond the p99, because most runs have no
// rare clusters.
const trusted = 12

// With combines the variances by theory and by the run: a mean of logarithms in which the run's
// weight grows with its number of tasks beyond. The median run gives 0.5 to 1.6 times the true
// variance.
func (s Scatter) With(theory float64) float64 {
	share := s.Beyond / (s.Beyond + trusted)
	return math.Pow(s.Variance, share) * math.Pow(theory, 1-share)
}

// Tells reports whether the run alone is sufficient, without theory.
func (s Scatter) Tells() bool { return s.Beyond >= 10 }
