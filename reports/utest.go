package reports

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/judge"
)

// uExactLimit is the largest number of values in both samples together for which the exact distribution of U is
// computed. At the limit that takes 3 ms; above it the normal approximation is within 5 % of a p of 0.01 or more, and
// too large by up to a half at p = 10⁻⁴: it errs towards "not significant".
const uExactLimit = 100

// uTest is the outcome of the Mann–Whitney (Wilcoxon rank sum) test of a sample y against a sample x.
//
// The p-values are those of the permutation distribution given the ties at hand: every one of the C(N, n) ways in which
// the midranks could have been dealt to the samples counts the same. benchmath has the same test, but is wrong when the
// samples have ties and different sizes: the distribution is not symmetric then, and benchmath takes it to be.
type uTest struct {
	U       float64 // pairs in which y is greater than x, equal ones counting a half
	Less    float64 // P(U' ≤ U): small when y tends to be less than x
	Greater float64 // P(U' ≥ U): small when y tends to be greater than x
}

// TwoSided is twice the smaller tail, at most 1: what benchmath reports where the distribution is symmetric.
func (t uTest) TwoSided() float64 { return min(1, 2*min(t.Less, t.Greater)) }

// mannWhitney tests y against x; neither may be empty.
func mannWhitney(x, y []float64) uTest {
	ranks, ofY, ties := midranks(x, y)
	nx, ny := len(x), len(y)
	// The doubled rank sum of y is 2U + ny(ny+1).
	u := float64(ofY-ny*(ny+1)) / 2
	if nx+ny > uExactLimit {
		return normalU(nx, ny, u, ties)
	}
	// The sums of the smaller sample are fewer; what y has not, x has.
	k, sum := ny, ofY
	if nx < ny {
		k = nx
		for _, r := range ranks {
			sum -= r
		}
		sum = -sum
	}
	counts, first, step := subsetSums(ranks, k)
	var below, at, above float64
	for i, c := range counts {
		switch s := first + i*step; {
		case s < sum:
			below += c
		case s == sum:
			at += c
		default:
			above += c
		}
	}
	total := below + at + above
	t := uTest{U: u, Less: (below + at) / total, Greater: (above + at) / total}
	if nx < ny {
		t.Less, t.Greater = t.Greater, t.Less
	}
	return t
}

// midranks returns the doubled ranks of all values in ascending order, tied values sharing the mean of their ranks; the
// sum of those of y; and Σ(t³−t) over the groups of t tied values. Doubled, midranks are whole numbers.
func midranks(x, y []float64) (ranks []int, ofY int, ties float64) {
	type value struct {
		v float64
		y bool
	}
	all := make([]value, 0, len(x)+len(y))
	for _, v := range x {
		all = append(all, value{v, false})
	}
	for _, v := range y {
		all = append(all, value{v, true})
	}
	slices.SortFunc(all, func(a, b value) int {
		switch {
		case a.v < b.v:
			return -1
		case a.v > b.v:
			return 1
		}
		return 0
	})
	ranks = make([]int, len(all))
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j
			if all[k].y {
				ofY += ranks[k]
			}
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return ranks, ofY, ties
}

// subsetSums counts, for the sums first, first+step, first+2·step …, the subsets of k of the ranks (ascending) that have
// it. Counts are floats: there may be 10²⁹ of them, and sums of non-negative numbers keep their relative precision.
//
// It is the recursion over the ranks in ascending order, each either in the subset or not, over the sums that can
// occur. Those are counted from the lowest rank, in units of what all distances between ranks share: of counts, with two or
// three different values, few remain.
func subsetSums(ranks []int, k int) (counts []float64, first, step int) {
	n := len(ranks)
	for _, r := range ranks {
		step = gcd(step, r-ranks[0])
	}
	step = max(step, 1) // all ranks are the same
	prefix := make([]int, n+1)
	for i, r := range ranks {
		prefix[i+1] = prefix[i] + (r-ranks[0])/step
	}
	// The j smallest and the j largest of the first i ranks bound the sums of j of them.
	largest := func(j, i int) int { return prefix[i] - prefix[i-j] }
	ways := make([][]float64, k+1) // ways[j][s]: subsets of j of the ranks so far with sum s
	for j := range ways {
		ways[j] = make([]float64, largest(j, n)+1)
	}
	ways[0][0] = 1
	for i := range ranks {
		r := prefix[i+1] - prefix[i]
		for j := min(k, i+1); j >= max(1, k-(n-1-i)); j-- {
			low, high := prefix[j-1], largest(j-1, i)
			from, to := ways[j-1][low:high+1], ways[j][low+r:]
			for s, c := range from {
				to[s] += c
			}
		}
	}
	return ways[k][prefix[k]:], k*ranks[0] + step*prefix[k], step
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// normalU is the normal approximation with the corrections for ties and for continuity.
func normalU(nx, ny int, u, ties float64) uTest {
	n := float64(nx + ny)
	pairs := float64(nx) * float64(ny)
	sd := math.Sqrt(pairs / 12 * ((n + 1) - ties/(n*(n-1))))
	if sd == 0 {
		return uTest{U: u, Less: 1, Greater: 1}
	}
	return uTest{
		U:       u,
		Less:    judge.NormalCDF((u - pairs/2 + 0.5) / sd),
		Greater: judge.NormalCDF(-(u - pairs/2 - 0.5) / sd),
	}
}

// samplesFor is the smallest n with which the one-sided test of n values against n can give a p of alpha or less: the
// most extreme of the C(2n, n) deals must be that rare.
func samplesFor(alpha float64) int {
	n := 1
	for p := 0.5; p > alpha; n++ {
		p *= float64(n+1) / float64(2*(2*n+1)) // C(2n, n)/C(2n+2, n+1)
	}
	return n
}
