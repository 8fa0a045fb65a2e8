package judge

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/poolbench/poolbench/internal/statistics"
)

// PairsToFind returns the number of pairs that finds a worsening as large as the promise with 80 %
// power: ((z(1−α/m) + z(0.8))·sd / (log(1+e) − log(1+δ)))².
func (o Options) PairsToFind(sd float64, tests int) float64 {
	return o.pairsToFind(sd, tests, power)
}

func (o Options) pairsToFind(sd float64, tests int, power float64) float64 {
	z := statistics.NormalQuantile(1-o.Alpha/float64(tests)) + statistics.NormalQuantile(power)
	return math.Ceil(math.Pow(z*sd/(o.promise()-o.margin()), 2))
}

const maxNeeded = 1000

// needed returns the approximate number of pairs, or values of each side, that decides an
// inconclusive row with 80 % power if its change is as estimated, or 0 above maxNeeded.
func (o Options) needed(row *Row, tests int) int {
	away := max(row.Change-o.margin(), o.promise()-row.Change)
	z := statistics.NormalQuantile(1-min(o.Alpha/float64(max(1, tests)), o.Alpha/2)) +
		statistics.NormalQuantile(power)
	n := float64(row.N)
	if row.HeadN > 0 && !row.paired {
		n = float64(min(row.N, row.HeadN))
	}
	needed := n * math.Pow(z*row.SE/away, 2)
	if !(needed <= maxNeeded) {
		return 0
	}
	return max(int(math.Ceil(needed)), int(math.Ceil(1.5*n)))
}

func (o Options) freshPairs(suspects int) int {
	return max(o.FreshPairs, MinPairs(o.Needed(suspects)))
}

// detectable returns the worsening that both stages together find with 80 % power. The true power
// is slightly higher, because a metric can also be suspect because of its noise.
func (o Options) detectable(sd float64, screened, fresh, tests int) float64 {
	if math.IsNaN(sd) {
		return sd
	}
	suspicion, significance := criticalSignedRank(screened, o.SuspectAt),
		criticalSignedRank(fresh, o.Alpha/float64(tests))
	if suspicion < 0 || significance < 0 {
		return math.NaN()
	}
	// worsening beyond the margin in standard deviations of a pair; 8 is always found
	low, high := 0.0, 8.0
	for range 20 {
		middle := (low + high) / 2
		if s := newShifted(middle); s.power(screened, suspicion)*s.power(fresh,
			significance) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return o.margin() + high*sd
}

// shifted contains probabilities for independent normal changes with a positive mean: one is above
// 0, the sum of two is above 0, and both sums of one change with two others are above 0.
type shifted struct{ one, two, three float64 }

func newShifted(mean float64) shifted {
	h := math.Sqrt2 * mean
	return shifted{normalCDF(mean), normalCDF(h), normalCDF(h) - 2*owenT(h, 1/math.Sqrt(3))}
}

// power returns the approximate probability that the negative ones of n changes have a rank sum of
// at most critical (Lehmann 1975, Nonparametrics). The error is at most 5 percentage points for ten
// changes or more, and 10 for six.
func (s shifted) power(n, critical int) float64 {
	k := float64(n)
	mean := k*s.one + k*(k-1)/2*s.two
	variance := k*s.one*(1-s.one) + k*(k-1)/2*(2*(s.one-s.two)*(s.one-s.two)+3*s.two*(1-s.two)) +
		k*(k-1)*(k-2)*(s.three-s.two*s.two)
	if variance <= 0 {
		return 1
	}
	return normalCDF((mean - (k*(k+1)/2 - float64(critical)) + 0.5) / math.Sqrt(variance))
}

func owenT(h, a float64) float64 {
	density := func(x float64) float64 { return math.Exp(-h*h*(1+x*x)/2) / (1 + x*x) }
	return quad.Fixed(density, 0, a, 10, nil, 0) / (2 * math.Pi)
}

// attainable returns the largest p of the signed-rank test of n changes without ties that is at
// most alpha.
func attainable(n int, alpha float64) float64 {
	if n > signedRankLimit {
		return alpha
	}
	return floats.Sum(ranksSums(n)[:criticalSignedRank(n, alpha)+1])
}

func ranksSums(n int) []float64 { return signSums(ranksUpTo(n)) }

func ranksUpTo(n int) []int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	return ranks
}

func sides(pairs []Pair) (bases, heads []float64) {
	for _, p := range pairs {
		bases, heads = append(bases, p.Base), append(heads, p.Head)
	}
	return bases, heads
}

func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
