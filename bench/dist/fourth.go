package dist

import "math"

// Fourth returns E[X⁴]/E[X]⁴, which measures the influence of the longest draws on a sum of
// squares: 1 for a constant, 24 for an exponential distribution. It is NaN for a distribution of
// another package.
func Fourth(d Dist) float64 {
	if f, ok := d.(interface{ fourth() float64 }); ok {
		return f.fourth()
	}
	return math.NaN()
}

func (Constant) fourth() float64 { return 1 }

func (Exponential) fourth() float64 { return 24 }

// E[Xᵏ] = E[X]ᵏ·exp(σ²k(k−1)/2), and exp(σ²) = 1 + C².
func (l LogNormal) fourth() float64 { return math.Pow(1+l.c2, 6) }

func (p Pareto) fourth() float64 {
	span := math.Log(float64(p.high) / float64(p.low))
	return p.moment(4, span) / math.Pow(p.moment(1, span), 4)
}

func (m Mixture) fourth() (sum float64) {
	for _, b := range m.branches {
		if mean := MeanNS(b.Dist); mean > 0 {
			sum += b.P * math.Pow(mean/m.mean, 4) * Fourth(b.Dist)
		}
	}
	return sum
}
