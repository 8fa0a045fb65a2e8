package changepoint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/poolbench/poolbench/internal/statistics"
)

// Options are the settings of Find.
type Options struct {
	Alpha float64 // probability of an alarm in a series without a change; above 0 and below 1
	// largest number for each test; p is never below 1/(Permutations+1), which must not exceed Alpha
	Permutations int
	Shortest     int    // least number of values of a level; 2 or more
	Seed         uint64 // of the permutations: the same series and seed give the same result
}

// Default returns settings for series of benchmark results: one false alarm in a hundred series,
// and three results that agree before a change is reported.
func Default() Options { return Options{Alpha: 0.01, Permutations: 999, Shortest: 3, Seed: 1} }

// A Point is a change.
type Point struct {
	Index int // of the first value after it
	// probability of as clear a split as the best of this search, if there is no further change
	P float64
}

// Enough returns the length from which a series of measured values shows a clean step in its middle
// with the options. It allows for 8 in C(n, n/2) orders of its values that look as much like a
// step: both levels in either order, in odd series the middle value in the one or the other, and a
// few that end in a shorter level. In 200 000 orders each of steps of 6 to 16 values, 0.4 to 8.1 in
// C(n, n/2) were counted.
func (o Options) Enough() int { return o.longer(8) }

// least returns the length below which nothing is significant: at least two orders are as extreme,
// in a series of two values.
func (o Options) least() int { return o.longer(2) }

func (o Options) longer(orders float64) int {
	n := 2 * o.Shortest
	for orders/choose(n, n/2) > o.Alpha {
		n++
	}
	return n
}

func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

// Find returns the changes of a series in order, or none if the series is constant or too short. It
// panics for infinite or NaN values and for invalid options.
//
// It takes O(n²) for each permutation: less than 1 ms for 100 values without a change, and about 25
// ms for each change.
func Find(values []float64, o Options) []Point {
	if !(o.Alpha > 0 && o.Alpha < 1) || o.Shortest < 2 || 1/float64(o.Permutations+1) > o.Alpha {
		panic(fmt.Sprintf("changepoint: options %+v", o))
	}
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("changepoint: value %v", v))
		}
	}
	if len(values) < o.least() {
		return nil
	}
	measured := values
	values = ranks(values)
	s := newSearch(values, o)
	var found []Point
	cuts := []int{0, len(values)}
	for {
		best := s.bestOf(values, cuts)
		if best.at == 0 {
			break
		}
		p := s.test(best.q, cuts)
		if p > o.Alpha {
			break
		}
		found = append(found, Point{best.at, p})
		cuts = append(cuts, best.at)
		slices.Sort(cuts)
		for i := range len(cuts) - 1 {
			copy(values[cuts[i]:], ranks(values[cuts[i]:cuts[i+1]]))
		}
	}
	slices.SortFunc(found, func(a, b Point) int { return a.Index - b.Index })
	for i := range found {
		cuts[i+1] = date(measured, cuts[i], cuts[i+1], cuts[i+2])
		found[i].Index = cuts[i+1]
	}
	return found
}

type search struct {
	Options
	values  []float64
	rng     *rand.Rand
	shuffle func([]float64) // arranges a stretch in a random order without a change
	// sums[i*(n+1)+j]: of |a−b| over the first i values a and the first j values b of a stretch
	sums []float64
}

func newSearch(values []float64, o Options) *search {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(len(values))))
	every := func(stretch []float64) {
		rng.Shuffle(len(stretch), func(a, b int) {
			stretch[a], stretch[b] = stretch[b], stretch[a]
		})
	}
	return &search{Options: o, values: values, rng: rng, shuffle: every}
}

// bestOf returns the best split of all stretches between the cuts. Each stretch is ranked by itself
// and its distance divided by its length. With common ranks, everything after an older, distant
// level would have nearly the same rank. Undivided distances grow with the length, so the longest
// stretch would dominate.
func (s *search) bestOf(values []float64, cuts []int) (best split) {
	for i := range len(cuts) - 1 {
		found := s.best(values[cuts[i]:cuts[i+1]])
		found.q /= float64(cuts[i+1] - cuts[i])
		if found.at > 0 && found.q > best.q*(1+rounding) {
			best = split{cuts[i] + found.at, found.q}
		}
	}
	return best
}

// test returns the share of permutations of the values within each stretch that have as good a
// split as q, including the series itself. It stops when p can no longer be Alpha or less, and
// returns a value above that.
func (s *search) test(q float64, cuts []int) float64 {
	shuffled := slices.Clone(s.values)
	all := float64(s.Permutations + 1)
	as := 1.0
	for range s.Permutations {
		for i := range len(cuts) - 1 {
			s.shuffle(shuffled[cuts[i]:cuts[i+1]])
		}
		if s.bestOf(shuffled, cuts).q >= q*(1-rounding) {
			if as++; as/all > s.Alpha {
				break
			}
		}
	}
	return as / all
}

// date returns the place of the change between the levels values[from:at] and values[at:to]. A
// value belongs to the nearer level, and the change is where the weights of the values on the wrong
// side are least, each weighted by how much nearer it is. The energy distance detects a change, but
// locates it less accurately: no part is shorter than Options.Shortest, and by ranks the highest
// values before a rise are close to those after it.
//
// No value has more weight than the difference of the levels, so outliers have a bounded effect. If
// the medians are equal, because a part is mostly of the other level, the means decide. If these
// are equal, too, the date stays.
//
// With two levels with 3 % of noise, the second three times the first, the first value of the
// second was found in 1344 of 1347 series, compared with 1173 without this step, in series of 10 or
// 40 values followed by 5, 8 or 20.
func date(values []float64, from, at, to int) int {
	before, after := statistics.Median(values[from:at]), statistics.Median(values[at:to])
	if before == after {
		before, after = mean(values[from:at]), mean(values[at:to])
	}
	if before == after {
		return at
	}
	apart := math.Abs(after - before) // in its unit nothing overflows
	wrong, least, best := 0.0, math.Inf(1), at
	for i := from; i < to-1; i++ {
		wrong += (math.Abs(values[i]-before) - math.Abs(values[i]-after)) / apart
		if wrong < least {
			least, best = wrong, i+1
		}
	}
	return best
}

func mean(values []float64) (mean float64) {
	for i, v := range values {
		mean += (v - mean) / float64(i+1)
	}
	return mean
}
