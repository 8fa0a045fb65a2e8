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
	String() string // the spelling that param parses: exp(10ms)
}

// MeanNS returns the mean of d in nanoseconds, unrounded where d has a MeanNS method, as all
// distributions here have.
func MeanNS(d Dist) float64 {
	if e, ok := d.(interface{ MeanNS() float64 }); ok {
		return e.MeanNS()
	}
	return float64(d.Mean())
}

// moments are those of a distribution that has no simpler way to say them.
type moments struct {
	mean float64 // ns
	c2   float64
}

// Mean returns the mean, rounded.
func (m moments) Mean() time.Duration { return round(m.mean) }

// MeanNS returns the mean in nanoseconds.
func (m moments) MeanNS() float64 { return m.mean }

// C2 returns the squared coefficient of variation.
func (m moments) C2() float64 { return m.c2 }

// maxC2 bounds the C² that may be asked for. The mean of n draws has a relative standard error of
// √(C²/n): beyond this bound even a billion tasks would not show the mean.
const maxC2 = 1e9

func checkC2(c2, least float64) error {
	if !(c2 >= least && c2 <= maxC2) {
		return fmt.Errorf("c2: must be between %s and %s, got %s", FormatFloat(least),
			FormatFloat(maxC2), FormatFloat(c2))
	}
	return nil
}

// round gives the whole nanoseconds nearest to ns ≥ 0. Beyond the 292 years of a Duration it stays
// at the longest one: a draw out there has no meaning for a task, and wrapping round to a negative
// wait would be worse.
func round(ns float64) time.Duration {
	switch {
	case ns >= math.MaxInt64:
		return math.MaxInt64
	case ns >= 1<<52: // whole already, and the sum below would have no room for the half
		return time.Duration(ns)
	}
	return time.Duration(ns + 0.5)
}
