package statistics

import (
	"math"
	"math/bits"
	"slices"
)

// Resolvable reports whether the upper end of the 95 % interval of the quantile p by order
// statistics exists, pⁿ ≤ 0.025. A median needs 6 values, a p99 368 and a p99.9 3688.
func Resolvable(p float64, n int) bool {
	return n > 0 && float64(n)*math.Log(p) <= math.Log(0.025)
}

// MinTasks returns the smallest n for which p is Resolvable.
func MinTasks(p float64) int {
	n := int(math.Log(0.025) / math.Log(p))
	for !Resolvable(p, n) {
		n++
	}
	return n
}

// NearestRanks appends to into the p-quantile of values, the ⌈pn⌉-th smallest, for each of the
// ascending ps. values must not be empty. Their order changes.
func NearestRanks(into, values []int64, ps ...float64) []int64 {
	ranks := make([]int, 0, 8) // avoids an allocation for a few quantiles
	for _, p := range ps {
		ranks = append(ranks, Rank(len(values), p))
	}
	selectFrom(values, 0, ranks, 2*bits.Len(uint(len(values))))
	for _, r := range ranks {
		into = append(into, values[r-1])
	}
	return into
}

// A Ranking searches only between the ranks already found.
type Ranking struct {
	values  []int64
	settled []int
}

// values must not be empty. Their order changes.
func NewRanking(values []int64) *Ranking { return &Ranking{values: values} }

func (r *Ranking) At(p float64) int64 {
	rank := Rank(len(r.values), p)
	i, there := slices.BinarySearch(r.settled, rank)
	if !there {
		from, to := 0, len(r.values)
		if i > 0 {
			from = r.settled[i-1]
		}
		if i < len(r.settled) {
			to = r.settled[i] - 1
		}
		between := r.values[from:to]
		selectFrom(between, from, []int{rank}, 2*bits.Len(uint(len(between))))
		r.settled = slices.Insert(r.settled, i, rank)
	}
	return r.values[rank-1]
}

// Rank returns ⌈pn⌉, at least 1. It ignores an excess over an integer that is within rounding
// error: 0.99 × 100 is 99, not 100.
func Rank(n int, p float64) int {
	exact := p * float64(n)
	r := math.Round(exact)
	if math.Abs(exact-r) > 1e-9*exact {
		r = math.Ceil(exact)
	}
	return max(int(r), 1)
}

// selectFrom moves the values at the ascending ranks (from 1) to their sorted places. For a million
// values this takes a third of the time of sorting. It is Hoare's algorithm (Algorithm 65: Find,
// 1961) for several ranks at once. offset is the index of the first value in the whole slice. depth
// bounds the number of bad partitions, after which it sorts.
func selectFrom(values []int64, offset int, ranks []int, depth int) {
	for len(ranks) > 0 && len(values) > 1 {
		if depth == 0 || len(values) <= 12 {
			slices.Sort(values)
			return
		}
		depth--
		at := partition(values)
		left, _ := slices.BinarySearch(ranks, offset+at+1)
		right := left
		for right < len(ranks) && ranks[right] == offset+at+1 {
			right++
		}
		selectFrom(values[:at], offset, ranks[:left], depth)
		values, offset, ranks = values[at+1:], offset+at+1, ranks[right:]
	}
}

// partition returns the index of a value in its sorted place. The pivot is the median of three, and
// the scan stops at equal values. This avoids the worst case for sorted and for equal values.
func partition(values []int64) int {
	last := len(values) - 1
	a, b, c := &values[0], &values[last/2], &values[last]
	if *a > *b {
		*a, *b = *b, *a
	}
	if *b > *c {
		*b, *c = *c, *b
	}
	if *a > *b {
		*a, *b = *b, *a
	}
	pivot := *b
	*b, values[last-1] = values[last-1], *b
	i, j := 0, last-1
	for {
		for i++; values[i] < pivot; i++ {
		}
		for j--; values[j] > pivot; j-- {
		}
		if i >= j {
			break
		}
		values[i], values[j] = values[j], values[i]
	}
	values[i], values[last-1] = values[last-1], values[i]
	return i
}
