package judge_test

import (
	"math"
	"math/rand/v2"
	"slices"
)

// normalPair contains statistics of two normal samples: the difference of their means, and their
// standard deviations.
type normalPair struct{ difference, x, y float64 }

type normalSizes struct{ x, y float64 }

// ratios contains the null hypotheses: ratios y/x of the standard deviations.
var ratios = []float64{1. / 16, 1. / 8, 1. / 4, 1 / 2.8, 1. / 2, 1 / 1.4, 1, 1.4, 2, 2.8, 4, 8, 16}

// bound returns an upper bound of the power of any scale-invariant test with the required level at
// all ratios. The alternative is a shift of 4 standard errors with equal spreads.
//
// The bound is the power of the Neyman-Pearson test against a mixture of ratios. Every mixture
// gives a valid bound, and the loop searches for a small one. The sampling error is about one
// percentage point.
func (r *replayer) bound(sides [2]side) float64 {
	n := normalSizes{float64(sides[0].n), float64(sides[1].n)}
	draws := 60 * r.draws
	// odds[i][k][j] is the likelihood ratio of ratio j to the alternative, for draw k from ratio i.
	// The last i is the alternative.
	odds := make([][][]float64, len(ratios)+1)
	for i := range odds {
		odds[i] = make([][]float64, draws)
		r.each(draws, func(k int, rng *rand.Rand) error {
			ratio, shift := 1.0, worsening*math.Sqrt(n.variance(1))
			if i < len(ratios) {
				ratio, shift = ratios[i], 0
			}
			p := n.draw(rng, ratio, shift)
			alternative := n.shifted(p)
			odds[i][k] = make([]float64, len(ratios))
			for j, ratio := range ratios {
				odds[i][k][j] = math.Exp(min(600, n.unshifted(p, ratio)-alternative))
			}
			return nil
		})
	}
	level := r.options.Alpha / benchmarks
	weights, least := slices.Repeat([]float64{1 / float64(len(ratios))}, len(ratios)), 1.0
	mixed := make([][]float64, len(odds))
	for range 40 {
		for i, draws := range odds {
			mixed[i] = mixed[i][:0]
			for _, ratios := range draws {
				sum := 0.0
				for j, odds := range ratios {
					sum += weights[j] * odds
				}
				mixed[i] = append(mixed[i], sum)
			}
			slices.Sort(mixed[i])
		}
		below := func(i int, limit float64) float64 {
			at, _ := slices.BinarySearch(mixed[i], limit)
			return float64(at) / float64(draws)
		}
		low, high := -60.0, 60.0
		for range 50 {
			middle, size := (low+high)/2, 0.0
			for j, w := range weights {
				size += w * below(j, math.Exp(middle))
			}
			if size > level {
				high = middle
			} else {
				low = middle
			}
		}
		least = min(least, below(len(ratios), math.Exp(low)))
		sum := 0.0
		for j := range weights {
			weights[j] *= math.Exp(min(1.5, below(j, math.Exp(low))/level-1) / 2)
			sum += weights[j]
		}
		for j := range weights {
			weights[j] /= sum
		}
	}
	return least
}

func (n normalSizes) variance(ratio float64) float64 { return 1/n.x + ratio*ratio/n.y }

func (n normalSizes) draw(rng *rand.Rand, ratio, shift float64) normalPair {
	deviation := func(n float64) float64 {
		squares := 0.0
		for range int(n) - 1 {
			v := rng.NormFloat64()
			squares += v * v
		}
		return math.Sqrt(squares / (n - 1))
	}
	return normalPair{shift + math.Sqrt(n.variance(ratio))*rng.NormFloat64(), deviation(n.x),
		ratio * deviation(n.y)}
}

func (n normalSizes) squares(p normalPair, ratio float64) float64 {
	return (n.x-1)*p.x*p.x + (n.y-1)*p.y*p.y/ratio/ratio
}

// unshifted returns the log density of p without a shift, averaged over all scales.
func (n normalSizes) unshifted(p normalPair, ratio float64) float64 {
	gamma, _ := math.Lgamma((n.x + n.y - 1) / 2)
	v := n.variance(ratio)
	return gamma + (n.x+n.y-3)/2*math.Ln2 - (n.x+n.y-1)/2*math.Log(p.difference*p.difference/v+
		n.squares(p, ratio)) - math.Log(v)/2 - (n.y-1)*math.Log(ratio)
}

// shifted is like unshifted, but with the shift and equal spreads.
func (n normalSizes) shifted(p normalPair) float64 {
	v := n.variance(1)
	shift, power, squares := worsening*math.Sqrt(v), n.x+n.y-2, n.squares(p, 1)
	density := func(unit float64) float64 {
		off := unit*p.difference - shift
		return power*math.Log(unit) - off*off/v/2 - unit*unit*squares/2
	}
	curvature, slope := p.difference*p.difference/v+squares, p.difference*shift/v
	top := (slope + math.Sqrt(slope*slope+4*curvature*power)) / 2 / curvature
	width := 1 / math.Sqrt(power/top/top+curvature)
	const steps = 8
	sum := 0.0
	for k := -7 * steps; k <= 7*steps; k++ {
		if unit := top + float64(k)*width/steps; unit > 0 {
			sum += math.Exp(density(unit) - density(top))
		}
	}
	return density(top) + math.Log(sum*width/steps) - math.Log(v)/2
}
