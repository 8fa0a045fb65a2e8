package judge

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Bin counts equal values, or those of a histogram's bucket.
type Bin struct {
	Value float64
	Count int64
}

// A Histogram is how often each value occurred in one run. The zero value is empty.
type Histogram struct {
	bins  []Bin // ascending, no value twice, no count of 0
	total int64
}

// NewHistogram makes a histogram of bins whose values ascend, with counts of at least 0; it keeps
// no reference to them. Both arms of a comparison must have the same bounds of bins, or bins finer
// than what is to be found.
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

// HistogramOf makes a histogram of values in ascending order.
func HistogramOf(ascending []float64) (Histogram, error) {
	bins := make([]Bin, len(ascending))
	for i, v := range ascending {
		bins[i] = Bin{v, 1}
	}
	return NewHistogram(bins)
}

// Total is the number of values.
func (h Histogram) Total() int64 { return h.total }

// Quantile is the nearest rank: the smallest value that at least a share q of all do not exceed,
// the ⌈q·N⌉-th. The histogram must not be empty, and q lie between 0 and 1.
func (h Histogram) Quantile(q float64) float64 {
	need := nearestRank(q, h.total)
	for _, b := range h.bins {
		if need -= b.Count; need <= 0 {
			return b.Value
		}
	}
	panic("judge: a quantile of an empty histogram")
}

// nearestRank is ⌈qN⌉, for q as people write it: 0.07 of 100 is the 7th, although the product is a
// little above.
func nearestRank(q float64, n int64) int64 {
	return max(1, int64(math.Ceil(q*float64(n)*(1-1e-14))))
}

// Resolvable is the smallest number of values that bounds the q-quantile from above with a
// confidence of 97.5 %: the largest of them exceeds it with probability 1−qⁿ. It is 368 for p99,
// and 3688 for p99.9. Fewer do not tell it.
func Resolvable(q float64) int64 {
	return int64(math.Ceil(math.Log(0.025) / math.Log(q)))
}

// atMost counts the values up to v in place of v, for ascending vs.
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

// within gives the distinct values of all histograms, scaled, from low to high.
func (h Histogram) within(values []float64, scale, low, high float64) []float64 {
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
