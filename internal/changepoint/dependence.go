package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Dependence is the correlation of neighbours in a series, and its effect on Options.Alpha.
type Dependence struct {
	Rho  float64 // lag-1 autocorrelation of the ranks within levels
	Most float64 // its upper bound for so few values
	// Doubtful: in a series without a change and with the autocorrelation Most, a split as clear as
	// the best of this one occurs by chance more often than Alpha.
	Doubtful bool
}

// Depends examines a series in which Find has found these changes, with the same options. Without
// changes nothing is doubtful. It takes as long as one change does in Find.
//
// Permutations assume that every order is equally likely. In a stationary autoregression of 40
// values with ρ 0.5 they report a change in 55 % of series at an Alpha of 5 %, and in 4 % of series
// without a doubt. With ρ from 0.1 to 0.5 and 20 to 200 values this is at most 5 %. In independent
// values, a step in the middle by three standard deviations is doubted in 22 % of series of 20
// values, in 1 % of 40, and in none of 80. All are rates in 400 series, of 200 values in 60.
func Depends(values []float64, found []Point, o Options) Dependence {
	if len(found) == 0 {
		return Dependence{}
	}
	values = ranks(values)
	n, levels := float64(len(values)), float64(len(found)+1)
	from, products, squares := 0, 0.0, 0.0
	for i := range len(found) + 1 {
		to := len(values)
		if i < len(found) {
			to = found[i].Index
		}
		level := ranks(values[from:to])
		middle, square, product := mean(level), 0.0, 0.0
		for j, v := range level {
			square += (v - middle) * (v - middle)
			if j > 0 {
				product += (level[j-1] - middle) * (v - middle)
			}
		}
		if square > 0 { // each value of each level has equal weight
			products, squares = products+product*float64(len(level))/square,
				squares+float64(len(level))
		}
		from = to
	}
	if squares == 0 {
		return Dependence{} // every level is constant
	}
	// An estimate from k values is too low by (1+3ρ)/k (Kendall 1954, doi:10.1093/biomet/41.3-4.403).
	// Its standard error is 1/√n for one level. Cutting levels where neighbours differ lowers the
	// estimate further, which the number of levels allows for.
	d := Dependence{Rho: min(mostAlike, (products/squares+levels/squares)/
		max(0.1, 1-3*levels/squares))}
	d.Most = min(mostAlike, d.Rho+1.5*math.Sqrt(levels/n))
	if d.Most <= 0 {
		return d
	}
	s := newSearch(values, o)
	s.shuffle = func(stretch []float64) { alike(s.rng, d.Most, stretch) }
	cuts := []int{0, len(values)}
	d.Doubtful = s.test(s.bestOf(values, cuts).q, cuts) > o.Alpha
	return d
}

// mostAlike is the largest credible autocorrelation: with 1 a series has no level.
const mostAlike = 0.95

// alike arranges the values in an order with correlated neighbours, like a Gaussian autoregression
// with this ρ. With 0 every order is equally likely.
func alike(rng *rand.Rand, rho float64, values []float64) {
	slices.Sort(values)
	sorted, of := slices.Clone(values), make([]float64, len(values))
	for i := range of {
		of[i] = rng.NormFloat64()
		if i > 0 {
			of[i] = rho*of[i-1] + math.Sqrt(1-rho*rho)*of[i]
		}
	}
	for i, rank := range ranks(of) {
		values[i] = sorted[int(rank)-1]
	}
}
