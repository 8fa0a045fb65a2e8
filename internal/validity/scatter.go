package validity

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Scatter is how a p99 response scatters by the run's own tasks.
type Scatter struct {
	Variance float64 // relative, times the number of tasks
	// independent tasks that would tell the share beyond the p99 as well, of which these are beyond
	Beyond float64
}

// scatterOf is by the share of tasks beyond the p99 in stretches of the run, turned into responses
// by the slope of the tail around it. The ends of an interval would be the longest responses where
// few are beyond.
func scatterOf(p99 float64, responses []int64) Scatter {
	const rare = 0.01
	n := float64(len(responses))
	shares := sharesBeyond(int64(math.Round(p99*observe.Second)), responses, mostStretches)
	independent := math.Sqrt(rare * (1 - rare) / n)
	se := max(observe.StandardError(shares), independent)
	tail := statistics.NearestRanks(nil, slices.Clone(responses), 1-2*rare, 1-rare/2)
	if tail[0] <= 0 || tail[0] == tail[1] {
		return Scatter{} // many tasks have it in common
	}
	slope := math.Log(float64(tail[1])/float64(tail[0])) / math.Log(4) * se / rare
	return Scatter{Variance: n * slope * slope,
		Beyond: rare * n * independent * independent / (se * se)}
}

// trusted is how many independent tasks beyond the p99 say as much as theory does of an order that
// it does not know. Of 100 seeds of four slots at loads of 0.8 to 0.95 and 18,000 tasks, and of 50
// of 180,000, theory said 0.8 to 1.8 times what they scatter by where priorities or tenants have
// their turn, 1.3 to 5 by deadline and 1.1 to 18 with the shortest first; and the median run alone
// 0.02 to 1.2 times, the less, the fewer tasks it had beyond, as clusters that are rare are missing
// in most runs.
const trusted = 12

// With is the variance by theory and by the run, the more by the run, the more tasks it has that
// tell: a mean of logarithms. The median run says 0.5 to 1.6 times what seeds scatter by.
func (s Scatter) With(theory float64) float64 {
	share := s.Beyond / (s.Beyond + trusted)
	return math.Pow(s.Variance, share) * math.Pow(theory, 1-share)
}

// Tells reports whether the run itself says it, where no theory does.
func (s Scatter) Tells() bool { return s.Beyond >= 10 }
