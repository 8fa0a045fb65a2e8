package studies

import (
	"math"

	"github.com/poolbench/poolbench/internal/theory"
)

// shared is what theory knows of one pool of k places, with tasks of mean 1 and that C², at the
// load; nil where that is too close to 1.
func shared(k int, load, c2 float64) *theory.Answer {
	a, err := theory.Spread(theory.Pool{Rate: load * float64(k), MeanService: 1, Limit: k}, c2)
	if err != nil {
		return nil
	}
	return a
}

// p99Wait is the exact one, infinite where there is no steady state.
func p99Wait(k int, load, c2 float64) float64 {
	if a := shared(k, load, c2); a != nil {
		if t, ok := a.WaitQuantile(0.99); ok {
			return t
		}
	}
	return math.Inf(1)
}

// mostAt is the exact highest load at which the p99 wait is at most so many mean task times.
func mostAt(wait, c2 float64) float64 {
	lo, hi := 0.0, 1.0
	for hi-lo > 1e-4 {
		if mid := (lo + hi) / 2; p99Wait(limit, mid, c2) <= wait {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// workersFor is the number of places that the arrivals of limit places at varianceLoad need for a
// p99 wait.
func workersFor(wait, c2 float64) int {
	k := limit
	for p99Wait(k, varianceLoad*limit/float64(k), c2) > wait {
		k++
	}
	return k
}
