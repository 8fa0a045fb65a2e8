package changepoint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/poolbench/poolbench/internal/statistics"
)

type Options struct {
	Alpha float64 // probability of a false alarm in a series without a change, between 0 and 1
	// Permutations is the largest number of permutations per test. P is at least
	// 1/(Permutations+1), which must not exceed Alpha.
	Permutations int
	Shortest     int
	Seed         uint64
}

func Default() Options { return Options{Alpha: 0.01, Permutations: 999, Shortest: 3, Seed: 1} }

type Point struct {
	Index int
	// P is the probability that a series without a further change has as clear a split as the best
	// of this search.
	P float64
}

// Enough returns the length of a series from which Find detects a clean step in its middle. It
// assumes that 8 of the C(n, n/2) orders of the values look at least as much like a step. In 200
// 000 random orders of steps of 6 to 16 values, 0.4 to 8.1 were counted.
func (o Options) Enough() int { return o.longer(8) }

// minLength returns the length below which no change is significant: even in a series of two
// distinct values, two orders are equally extreme.
func (o Options) minLength() int { return o.longer(2) }

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

// Find returns the changes of a series in ascending order. It panics for infinite or NaN values and
// for invalid options. It takes O(n²) per permutation: less than 1 ms for 100 values without a
// change, and about 25 ms for each change.
func Find(values []float64, o Options) []Point {
	if !(o.Alpha > 0 && o.Alpha < 1) || o.Shortest < 2 || 1/float64(o.Permutations+1) > o.Alpha {
		panic(fmt.Sprintf("changepoint: options %+v", o))
	}
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("changepoint: value %v", v))
		}
	}
	if len(values) < o.minLength() {
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
	shuffle func([]float64) // puts a stretch in a random order without a change
	// sums[i*(n+1)+j] is the sum of |a−b| over the first i values a and the first j values b of a
	// stretch.
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

// Each stretch between cuts has its own ranks, because a distant older level would compress common
// ranks. The distance is divided by the length of the stretch, with which it grows.
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

// test returns the share of permutations within the segments, including the series itself, whose
// best split has a statistic of at least q. It stops early, with a value above Alpha, once p cannot
// be Alpha or less.
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

// date returns the index of the change between the levels values[from:at] and values[at:to]. It
// assigns each value to the nearer level and minimises the total weight of values on the wrong
// side. A value's weight is the difference of its distances to the two levels, so outliers have a
// bounded effect. The energy distance locates a change less accurately: with 3 % noise the index
// was exact in 1344 of 1347 series, compared with 1173 without date.
func date(values []float64, from, at, to int) int {
	before, after := statistics.Median(values[from:at]), statistics.Median(values[at:to])
	if before == after {
		before, after = mean(values[from:at]), mean(values[at:to])
	}
	if before == after {
		return at
	}
	apart := math.Abs(after - before) // dividing by it prevents overflow
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
