package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Pareto is a bounded Pareto distribution. Its density is proportional to x^−(alpha+1) from low to
// high, and 0 elsewhere.
type Pareto struct {
	moments
	alpha     float64
	low, high time.Duration
	// (low/high)^alpha − 1, which is minus the probability of an unbounded Pareto below high
	below float64
}

// NewPareto returns the Pareto distribution with that exponent between low and high. The error
// names the invalid parameter.
//
// With L = low, ℓ = ln(high/L) and α = alpha, the density is α·Lᵅ·x^−(α+1)/(1−e^−αℓ). So E[(X/L)ᵏ]
// = α/(1−e^−αℓ)·∫₁^(H/L) y^(k−α−1) dy = α/(1−e^−αℓ)·(e^((k−α)ℓ)−1)/(k−α). At α = k the last factor
// is ℓ. Expm1 keeps it accurate near α = 1 and α = 2.
func NewPareto(alpha float64, low, high time.Duration) (Pareto, error) {
	if !(alpha >= minAlpha && alpha <= maxAlpha) {
		return Pareto{}, fmt.Errorf("alpha: must be between %s and %s, got %s",
			FormatFloat(minAlpha), FormatFloat(maxAlpha), FormatFloat(alpha))
	}
	if err := positive("low", low); err != nil {
		return Pareto{}, err
	}
	if low >= high {
		return Pareto{}, fmt.Errorf("low: must be less than high, got low=%s and high=%s",
			FormatDuration(low), FormatDuration(high))
	}
	span := math.Log(float64(high) / float64(low))
	p := Pareto{alpha: alpha, low: low, high: high, below: math.Expm1(-alpha * span)}
	first, second := p.moment(1, span), p.moment(2, span)
	p.mean = float64(low) * first
	// may round below 0 if the bounds are close
	p.c2 = max(0, second/(first*first)-1)
	if err := checkC2(p.c2, 0); err != nil {
		return Pareto{}, fmt.Errorf("high: too far from low: %w", err)
	}
	return p, nil
}

const minAlpha, maxAlpha = 0.001, 1000

// moment returns E[(X/low)ᵏ]. span is ln(high/low).
func (p Pareto) moment(k, span float64) float64 {
	factor := span
	if z := k - p.alpha; z != 0 {
		factor = math.Expm1(z*span) / z
	}
	return p.alpha / -p.below * factor
}

// Sample inverts the distribution function.
func (p Pareto) Sample(r *rand.Rand) time.Duration {
	x := float64(p.low) * math.Exp(-math.Log1p(r.Float64()*p.below)/p.alpha)
	return min(round(x), p.high) // rounding may exceed high
}

// Alpha returns the exponent of the tail.
func (p Pareto) Alpha() float64 { return p.alpha }

// Bounds returns the smallest and the largest value.
func (p Pareto) Bounds() (low, high time.Duration) { return p.low, p.high }

func (p Pareto) String() string {
	return "pareto(" + FormatFloat(p.alpha) + "," + FormatDuration(p.low) + "," +
		FormatDuration(p.high) + ")"
}
