package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// A Dist is a distribution of non-negative durations.
type Dist interface {
	Sample(r *rand.Rand) time.Duration
	Mean() time.Duration
	C2() float64    // squared coefficient of variation
	String() string // canonical form for param: exp(10ms)
}

// MeanNS returns the mean of d in nanoseconds. It is not rounded if d has a MeanNS method, as all
// distributions of this package have.
func MeanNS(d Dist) float64 {
	if e, ok := d.(interface{ MeanNS() float64 }); ok {
		return e.MeanNS()
	}
	return float64(d.Mean())
}

type moments struct {
	mean float64 // ns
	c2   float64
}

func (m moments) Mean() time.Duration { return round(m.mean) }

func (m moments) MeanNS() float64 { return m.mean }

func (m moments) C2() float64 { return m.c2 }

// The mean of n draws has a relative standard error of √(C²/n), so above maxC2 even a billion tasks
// are not enough.
const maxC2 = 1e9

func checkC2(c2, least float64) error {
	if !(c2 >= least && c2 <= maxC2) {
		return fmt.Errorf("c2: must be between %s and %s, got %s", FormatFloat(least),
			FormatFloat(maxC2), FormatFloat(c2))
	}
	return nil
}

// The result is at most the longest Duration, 292 years.
func round(ns float64) time.Duration {
	switch {
	case ns >= math.MaxInt64:
		return math.MaxInt64
	case ns >= 1<<52: // already whole, and adding a half would overflow the mantissa
		return time.Duration(ns)
	}
	return time.Duration(ns + 0.5)
}
