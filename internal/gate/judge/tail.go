package judge

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

type TailPair struct{ Base, Head Histogram }

// Up to swapsTried pairs all swaps are enumerated.
const swapsTried = 12

// swapDraws is the smallest number of random swaps, 2000 with the observed one. A larger family of
// tests draws drawsPerP times as many as make the smallest p significant.
const (
	swapDraws = 1999
	drawsPerP = 4
)

// swapTest returns the p-values of the hypotheses that the q-quantile of all head runs is not
// above, and not below, the q-quantile of all base runs. Base values are multiplied by scale.
//
// The unit of the test is the run, because requests of one run share a queue or a garbage
// collection; an interval that assumes independent requests has three times its nominal error rate.
// If head and base differ only by scale, swapping the runs of a pair does not change the
// distribution of the ratio of the two quantiles (Fisher 1935).
//
// A quantile of merged histograms lies between the smallest and the largest quantile of the runs,
// so only values in this range are searched.
func swapTest(
	q float64, pairs []TailPair, scale float64, draws int, seed uint64,
) (greater, less float64) {
	s := newSwaps(q, pairs, scale)
	n := len(pairs)
	swapped := make([]bool, n)
	observed := s.ratio(swapped)
	var atLeast, atMost int
	count := func(ratio float64) {
		if ratio >= observed-roundoff {
			atLeast++
		}
		if ratio <= observed+roundoff {
			atMost++
		}
	}
	if n <= swapsTried {
		// A swap of all pairs inverts the ratio, so half of the swaps suffice.
		for mask := range 1 << (n - 1) {
			for i := range n - 1 {
				swapped[i] = mask>>i&1 == 1
			}
			count(s.ratio(swapped))
			count(-s.ratio(swapped))
		}
		all := float64(int(1) << n)
		return float64(atLeast) / all, float64(atMost) / all
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for range draws {
		var bits uint64
		for i := range swapped {
			if i%64 == 0 {
				bits = rng.Uint64()
			}
			swapped[i] = bits&1 == 1
			bits >>= 1
		}
		count(s.ratio(swapped))
	}
	return float64(atLeast+1) / float64(draws+1), float64(atMost+1) / float64(draws+1)
}

// swaps contains, for each run, the number of values up to each candidate for the quantile.
type swaps struct {
	q      float64
	runs   int // twice the number of pairs: base and head alternate
	values []float64
	upTo   []int64 // indexed by value, then by run
	totals []int64
	picked []int
}

func newSwaps(q float64, pairs []TailPair, scale float64) *swaps {
	s := &swaps{q: q, runs: 2 * len(pairs), picked: make([]int, len(pairs))}
	low, high := math.Inf(1), math.Inf(-1)
	each := func(f func(h Histogram, scale float64)) {
		for _, p := range pairs {
			f(p.Base, scale)
			f(p.Head, 1)
		}
	}
	each(func(h Histogram, scale float64) {
		v := h.Quantile(q) * scale
		low, high = min(low, v), max(high, v)
		s.totals = append(s.totals, h.total)
	})
	each(func(h Histogram, scale float64) { s.values = h.between(s.values, scale, low, high) })
	slices.Sort(s.values)
	s.values = slices.Compact(s.values)
	s.upTo = make([]int64, len(s.values)*s.runs)
	run := 0
	each(func(h Histogram, scale float64) {
		for k, count := range h.atMost(s.values, scale) {
			s.upTo[k*s.runs+run] = count
		}
		run++
	})
	return s
}

func (s *swaps) ratio(swapped []bool) float64 {
	return worsening(s.quantile(swapped, 0), s.quantile(swapped, 1), verdict.LowerIsBetter)
}

func (s *swaps) quantile(swapped []bool, arm int) float64 {
	var total int64
	for i, swap := range swapped {
		s.picked[i] = 2*i + arm
		if swap {
			s.picked[i] = 2*i + 1 - arm
		}
		total += s.totals[s.picked[i]]
	}
	need := nearestRank(s.q, total)
	return s.values[sort.Search(len(s.values)-1, func(i int) bool {
		row := s.upTo[i*s.runs : (i+1)*s.runs]
		var count int64
		for _, run := range s.picked {
			count += row[run]
		}
		return count >= need
	})]
}

type Bin struct {
	Value float64
	Count int64
}

type Histogram struct {
	bins  []Bin // ascending, without duplicate values or counts of 0
	total int64
}

// Both sides of a comparison must have the same bucket bounds, or buckets finer than the difference
// to be found.
func NewHistogram(bins []Bin) (Histogram, error) {
	var h Histogram
	for i, b := range bins {
		if err := checkValue(b.Value); err != nil {
			return Histogram{}, err
		}
		switch {
		case b.Count < 0:
			return Histogram{}, fmt.Errorf("%d values of %v", b.Count, b.Value)
		case i > 0 && b.Value < bins[i-1].Value:
			return Histogram{}, errors.New("the values of a histogram do not ascend")
		case b.Count == 0:
			continue
		}
		if n := len(h.bins); n > 0 && h.bins[n-1].Value == b.Value {
			h.bins[n-1].Count += b.Count
		} else {
			h.bins = append(h.bins, b)
		}
		h.total += b.Count
	}
	return h, nil
}

func (h Histogram) Total() int64 { return h.total }

// Quantile returns the nearest rank: the ⌈q·N⌉-th smallest value. The histogram must not be empty.
func (h Histogram) Quantile(q float64) float64 {
	need := nearestRank(q, h.total)
	for _, b := range h.bins {
		if need -= b.Count; need <= 0 {
			return b.Value
		}
	}
	panic("judge: a quantile of an empty histogram")
}

// nearestRank returns ⌈qN⌉ for a decimal q: 0.07 of 100 is 7, although the floating-point product
// is slightly larger.
func nearestRank(q float64, n int64) int64 {
	return max(1, int64(math.Ceil(q*float64(n)*(1-1e-14))))
}

// Resolvable returns the smallest number of values whose maximum exceeds the q-quantile with a
// probability of 97.5 %. It is 368 for the p99, and 3688 for the p99.9.
func Resolvable(q float64) int64 {
	return int64(math.Ceil(math.Log(0.025) / math.Log(q)))
}

func (h Histogram) atMost(vs []float64, scale float64) []int64 {
	counts := make([]int64, len(vs))
	var sum int64
	i := 0
	for k, v := range vs {
		for ; i < len(h.bins) && h.bins[i].Value*scale <= v; i++ {
			sum += h.bins[i].Count
		}
		counts[k] = sum
	}
	return counts
}

func (h Histogram) between(values []float64, scale, low, high float64) []float64 {
	from, _ := slices.BinarySearchFunc(h.bins, low, func(b Bin, v float64) int {
		if b.Value*scale < v {
			return -1
		}
		return 1
	})
	for _, b := range h.bins[from:] {
		if b.Value*scale > high {
			break
		}
		values = append(values, b.Value*scale)
	}
	return values
}
