package validity

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics"
)

// An edge is a threshold near a quantile, and describes the share of tasks beyond it.
type edge struct {
	share float64
	se    float64 // standard error of share
	lag   float64 // correlation of neighbouring stretches, at least 0
}

// minError is the smallest standard error of a share that is no rounding error.
const minError = 1e-12

// edgesOf returns the edges of the value v of a quantile: of the tasks of at least v, and of the
// tasks above v. They differ if many tasks have the value v, for example all long tasks of a
// workload of two task times. The lower end of an interval then depends on the first, and the upper
// end on the second.
func edgesOf(v int64, values []int64, stretches int, of func(shares []float64) edge) (e [2]edge) {
	from, above := sharesBeyond(v-1, values, stretches), sharesBeyond(v, values, stretches)
	equal := 0.0
	for i := range from {
		equal += (from[i] - above[i]) * float64(len(values)) / float64(stretches)
	}
	if e[1] = of(above); equal < 1.5 { // only one task has the value
		return [2]edge{e[1], e[1]}
	}
	e[0] = of(from)
	return e
}

// planned returns the edge of shares of a forecast. Its se is of one stretch.
func planned(shares []float64) edge {
	mean, _ := observe.MeanAndSD(shares)
	e := edge{share: mean}
	e.se, e.lag = spreadOf(shares, mean)
	return e
}

// measured returns the edge of shares of a run. Its se is of the whole run.
func measured(shares []float64) edge {
	mean, _ := observe.MeanAndSD(shares)
	return edge{share: mean, se: observe.StandardError(shares)}
}

// independence returns the number of independent tasks with the same standard error of share,
// relative to n, at most 1. e.se is of n tasks.
func (e edge) independence(n float64) float64 {
	if e.se < minError {
		return 1
	}
	return min(e.share*(1-e.share)/n/(e.se*e.se), 1)
}

// sizes of the error of a quantile. 0.05 and 0.08 are those that a number of tasks is computed for,
// twice these bound the interval of a run.
var sizes = []float64{0.005, 0.01, 0.02, 0.05, 0.08, 0.1, maxP99Error, 0.16, maxError, 0.5, 1, 2, 5,
	10, 20, 50, 100, largestError}

// A level is a size of the error of a quantile with the number of tasks from which the error is not
// larger. Quantiles at an atom (a value of many tasks) have levels, because their error does not
// fall with the square root of the number of tasks: it ends when it is certain that the atom
// contains the quantile of a run.
type level struct {
	size    float64
	reached float64 // largest relative distance of a value within size
	// tasks of a run whose standard error of the share of tasks beyond size is as large as the
	// distance of this share from the quantile's
	tasks float64
}

const (
	maxAtomWidth = 0.01 // values within ±1 % belong to the atom
	minAtomShare = 0.25 // of tasks in an atom, relative to the tasks beyond the quantile
)

func isAtom(v int64, p float64, values []int64) bool {
	n, low, high := 0, int64(float64(v)/(1+maxAtomWidth)), int64(float64(v)*(1+maxAtomWidth))
	for _, x := range values {
		if low <= x && x <= high {
			n++
		}
	}
	return float64(n) >= minAtomShare*(1-p)*float64(len(values))
}

// levels returns nil if the quantile p of values, v, is not at an atom.
func (f *Forecast) levels(v int64, p float64, values []int64) []level {
	if v <= 0 || f.count < 2 || !isAtom(v, p, values) {
		return nil
	}
	k := len(sizes)
	at := make([]int64, 2*k) // ascending thresholds, for each size one below v and one above
	for i, size := range sizes {
		at[k-1-i] = int64(math.Ceil(float64(v)/(1+size))) - 1
		at[k+i] = int64(min(float64(v)*(1+size), math.MaxInt64/2))
	}
	beyond := make([][]float64, len(at)) // shares in the stretches
	for i := range beyond {
		beyond[i] = make([]float64, f.count)
	}
	counts := make([]int, len(at)+1) // of values between thresholds
	least, most := make([]int64, len(counts)), make([]int64, len(counts))
	for s := range f.count {
		clear(counts)
		stretch := observe.Stretch(values, s, f.count)
		for _, x := range stretch {
			i := k
			if x != v {
				i, _ = slices.BinarySearch(at, x)
			}
			if counts[i]++; least[i] == 0 || x < least[i] {
				least[i] = x
			}
			most[i] = max(most[i], x)
		}
		for i, sum := len(at)-1, 0; i >= 0; i-- {
			sum += counts[i+1]
			beyond[i][s] = float64(sum) / float64(max(len(stretch), 1))
		}
	}
	levels := make([]level, k)
	low, high := v, v
	for i, size := range sizes {
		if x := least[k-i]; x > 0 {
			low = min(low, x)
		}
		high = max(high, most[k+i])
		below, above := planned(beyond[k-1-i]), planned(beyond[k+i])
		levels[i] = level{size,
			max(float64(v)/float64(low), float64(high)/float64(v)) - 1,
			max(f.tasksAt(below, below.share-(1-p)), f.tasksAt(above, 1-p-above.share))}
	}
	return levels
}

func (f *Forecast) tasksAt(e edge, distance float64) float64 {
	if e.se < minError {
		return 0
	}
	lag := min(e.lag, f.mostLag)
	return f.length * e.se * e.se / (distance * distance) * (1 + lag) / (1 - lag)
}

// errorAt returns the relative 95 % error of a run of n tasks.
func errorAt(levels []level, n float64) float64 {
	for _, l := range levels {
		if z95*z95*l.tasks <= n {
			return l.reached
		}
	}
	return levels[len(levels)-1].reached
}

// tasksWithin returns the number of tasks from which the interval of a run is expected to be within
// ±size. In 39 of 40 runs it is within ±2·size, also if the share of shorter tasks in the run
// differs from the plan's. ok is false if the quantile is so near the edge of an atom that the
// forecast cannot determine the number.
func (f *Forecast) tasksWithin(levels []level, size float64) (n float64, ok bool) {
	at := func(size float64) (tasks float64) {
		tasks = math.Inf(1)
		for _, l := range levels {
			if l.size <= size*(1+1e-9) {
				tasks = l.tasks
			}
		}
		return tasks
	}
	t := statistics.Student(f.count, 0.05)
	n = max(t*t*at(size), (t+z95)*(t+z95)*at(2*size))
	return n, z95*z95*at(2*size) <= f.length*float64(f.count)
}
