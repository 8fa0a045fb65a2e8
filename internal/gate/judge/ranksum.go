package judge

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/statistics"
)

// The exact distribution of U takes 3 ms for rankSumLimit values in total. Above the limit the
// normal approximation is conservative: within 5 % for p ≥ 0.01, up to 50 % too large at p = 10⁻⁴.
const rankSumLimit = 100

// RankSum is the result of the Mann–Whitney (Wilcoxon rank sum) test of y against x, given the
// ties. The same test in benchmath is wrong for ties and different sizes, because it assumes a
// symmetric distribution.
type RankSum struct {
	U       float64 // pairs in which y is greater than x; ties count one half
	Less    float64 // P(U' ≤ U): small if y tends to be less than x
	Greater float64 // P(U' ≥ U): small if y tends to be greater than x
}

func (t RankSum) TwoSided() float64 { return min(1, 2*min(t.Less, t.Greater)) }

// RankSums caches the distribution of U without ties by the sizes of the samples. It is not safe
// for concurrent use.
type RankSums map[[2]int]*rankSumCounts

func (s RankSums) Test(x, y []float64) RankSum { return s.plain(len(x), len(y)).rankSum(x, y) }

func (s RankSums) plain(nx, ny int) widening {
	sizes := [2]int{nx, ny}
	if s[sizes] == nil {
		s[sizes] = &rankSumCounts{nx: nx, ny: ny}
	}
	return widening{s[sizes], 1}
}

type rankSumCounts struct {
	nx, ny int
	counts []float64 // number of assignments with U = 0, 1, …; nil until needed
}

func (d *rankSumCounts) distribution() []float64 {
	if d.counts == nil {
		d.counts, _, _ = subsetSums(ranksUpTo(d.nx+d.ny), min(d.nx, d.ny))
	}
	return d.counts
}

// rankSum is the rank test with a distribution of U that is wider by w.factor. Between two possible
// rank sums log p is interpolated linearly.
func (w widening) rankSum(x, y []float64) RankSum {
	ranks, ofY, ties := midranks(x, y)
	nx, ny := len(x), len(y)
	// The doubled rank sum of y is 2U + ny(ny+1).
	t := RankSum{U: float64(ofY-ny*(ny+1)) / 2}
	switch {
	case nx+ny > rankSumLimit:
		t = normalU(nx, ny, t.U, ties, w.factor)
	case ties == 0:
		mean := float64(nx*ny) / 2
		t.Less, t.Greater = tails(w.distribution(), mean+(t.U-mean)/w.factor)
	default:
		k, sum := ny, ofY
		if nx < ny {
			k, sum = nx, (nx+ny)*(nx+ny+1)-ofY
		}
		counts, first, step := subsetSums(ranks, k)
		mean := float64(k * (nx + ny + 1))
		t.Less, t.Greater = tails(counts,
			(mean+(float64(sum)-mean)/w.factor-float64(first))/float64(step))
		if nx < ny {
			t.Less, t.Greater = t.Greater, t.Less
		}
	}
	least := w.minSigns()
	t.Less, t.Greater = max(t.Less, least), max(t.Greater, least)
	return t
}

func tails(counts []float64, place float64) (less, greater float64) {
	at := func(i int) (less, greater float64) {
		below, above := total(counts[:i]), total(counts[i+1:])
		all := below + counts[i] + above
		return (below + counts[i]) / all, (counts[i] + above) / all
	}
	i := int(math.Floor(place + roundoff))
	less, greater = at(i)
	if beyond := place - float64(i); beyond > roundoff {
		nextLess, nextGreater := at(i + 1)
		between := func(a, b float64) float64 {
			return math.Exp((1-beyond)*math.Log(a) + beyond*math.Log(b))
		}
		less, greater = between(less, nextLess), between(greater, nextGreater)
	}
	return less, greater
}

func total(counts []float64) (sum float64) {
	for _, c := range counts {
		sum += c
	}
	return sum
}

// midranks returns the doubled midranks of all values in ascending order, the sum of the doubled
// midranks of y, and Σ(t³−t) over the groups of t tied values.
func midranks(x, y []float64) (ranks []int, ofY int, ties float64) {
	ranks = statistics.Midranks(slices.Concat(x, y), 0)
	for _, r := range ranks[len(x):] {
		ofY += r
	}
	n := float64(len(ranks))
	ties = n * (n*n - 1)
	for _, r := range ranks { // without ties these squares equal the whole sum
		off := float64(r) - (n + 1)
		ties -= 3 * off * off
	}
	slices.Sort(ranks)
	return ranks, ofY, ties
}

// subsetSums counts the subsets of k of the ascending ranks by their sums: first, first+step,
// first+2·step, and so on. Counts are floats, because there may be 10²⁹ of them.
func subsetSums(ranks []int, k int) (counts []float64, first, step int) {
	n := len(ranks)
	for _, r := range ranks {
		step = gcd(step, r-ranks[0])
	}
	step = max(step, 1)
	prefix := make([]int, n+1)
	for i, r := range ranks {
		prefix[i+1] = prefix[i] + (r-ranks[0])/step
	}
	// The sum of j of the first i ranks is between the sums of their j smallest and j largest.
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
			from, to := ways[j-1][low:high+1], ways[j][low+r:high+r+1]
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

func normalU(nx, ny int, u, ties, widening float64) RankSum {
	n := float64(nx + ny)
	pairs := float64(nx) * float64(ny)
	sd := widening * math.Sqrt(pairs/12*((n+1)-ties/(n*(n-1))))
	if sd == 0 {
		return RankSum{U: u, Less: 1, Greater: 1}
	}
	return RankSum{
		U:       u,
		Less:    normalCDF((u - pairs/2 + 0.5) / sd),
		Greater: normalCDF(-(u - pairs/2 - 0.5) / sd),
	}
}

func SamplesFor(alpha float64) int {
	n := 1
	for p := 0.5; p > alpha; n++ {
		p *= float64(n+1) / float64(2*(2*n+1)) // C(2n, n)/C(2n+2, n+1)
	}
	return n
}
