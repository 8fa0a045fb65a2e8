package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Constant always has the value Value.
type Constant struct{ Value time.Duration }

// Sample returns Value and uses no random number.
func (c Constant) Sample(*rand.Rand) time.Duration { return c.Value }

// Mean returns Value.
func (c Constant) Mean() time.Duration { return c.Value }

// MeanNS returns Value in nanoseconds.
func (c Constant) MeanNS() float64 { return float64(c.Value) }

// C2 returns 0.
func (c Constant) C2() float64 { return 0 }

func (c Constant) String() string { return "const(" + FormatDuration(c.Value) + ")" }

// Exponential is the exponential distribution with a mean of M nanoseconds.
type Exponential struct{ M float64 }

// Exp returns the Exponential with that mean.
func Exp(mean time.Duration) Exponential { return Exponential{M: float64(mean)} }

// Sample uses the ziggurat of math/rand/v2, in about 5 ns.
func (e Exponential) Sample(r *rand.Rand) time.Duration { return round(e.M * r.ExpFloat64()) }

// Mean returns M, rounded.
func (e Exponential) Mean() time.Duration { return round(e.M) }

// MeanNS returns M.
func (e Exponential) MeanNS() float64 { return e.M }

// C2 returns 1.
func (e Exponential) C2() float64 { return 1 }

func (e Exponential) String() string { return "exp(" + formatNS(e.M) + ")" }

// LogNormal is the log-normal distribution.
type LogNormal struct {
	moments
	sigma float64 // standard deviation of the logarithm
}

// NewLogNormal returns the LogNormal with that mean and C². The error names the invalid parameter.
//
// If ln X has mean μ and standard deviation σ, then E[X] = exp(μ + σ²/2) and C² = exp(σ²) − 1. So
// σ² = ln(1 + C²), and X = E[X]·exp(σZ − σ²/2) with Z standard normal.
func NewLogNormal(mean time.Duration, c2 float64) (LogNormal, error) {
	if err := positive("mean", mean); err != nil {
		return LogNormal{}, err
	}
	if c2 == 0 { // checkC2 accepts 0, for mixtures
		return LogNormal{}, fmt.Errorf("c2: must be positive, got 0; without variance it is a " +
			"constant")
	}
	if err := checkC2(c2, 0); err != nil {
		return LogNormal{}, err
	}
	return LogNormal{moments{float64(mean), c2}, math.Sqrt(math.Log1p(c2))}, nil
}

// Sample draws one normal number.
func (l LogNormal) Sample(r *rand.Rand) time.Duration {
	return round(l.mean * math.Exp(l.sigma*(r.NormFloat64()-l.sigma/2)))
}

func (l LogNormal) String() string {
	return "lognormal(" + formatNS(l.mean) + "," + FormatFloat(l.c2) + ")"
}

func positive(name string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("%s: must be positive, got %s", name, FormatDuration(d))
	}
	return nil
}
