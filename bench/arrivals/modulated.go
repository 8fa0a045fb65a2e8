package arrivals

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// rate is per nanosecond, mean in nanoseconds.
type phase struct{ rate, mean float64 }

// The rate alternates between two phases of exponential lengths (an MMPP with two states) or, if
// fixed, constant lengths. A run starts at a random point of a cycle, so the expected rate is right
// from the start.
type modulated struct {
	phases [2]phase
	fixed  bool
}

// minPhase and maxCycles bound the time that a plan spends in cycles without an arrival.
const (
	minPhase    = time.Microsecond
	longPhase   = 24 * time.Hour
	maxCycles   = 1000 // per arrival, on average
	phaseBounds = "want 1µs to 24h"
)

func openModulated(
	rate float64, seed uint64, v param.Values, first, second string, weights [2]float64, fixed bool,
) (Next, error) {
	m := &modulated{fixed: fixed}
	for i, key := range [...]string{first, second} {
		d := v.Duration(key)
		if d < minPhase || d > longPhase {
			return nil, errors.New(key + ": " + phaseBounds)
		}
		m.phases[i].mean = float64(d)
	}
	rate /= float64(time.Second)
	cycle := m.phases[0].mean + m.phases[1].mean
	if cycle*rate*maxCycles < 1 {
		return nil, fmt.Errorf("%s, %s: want a cycle of at least %v, a thousandth of the mean "+
			"gap at this rate: a shorter one is poisson", first, second,
			time.Duration(1/rate/maxCycles).Round(time.Nanosecond))
	}
	weighted := weights[0]*m.phases[0].mean + weights[1]*m.phases[1].mean
	for i := range m.phases {
		m.phases[i].rate = rate * weights[i] * cycle / weighted
	}
	return m.plan(seed), nil
}

// When a phase ends, plan drops the rest of the gap, because exponential gaps are memoryless.
func (m *modulated) plan(seed uint64) Next {
	r := rand.New(rand.NewPCG(seed, stream))
	now, at, end := 0, 0.0, 0.0
	length := func() float64 {
		if m.fixed {
			return m.phases[now].mean
		}
		return m.phases[now].mean * r.ExpFloat64()
	}
	if r.Float64()*(m.phases[0].mean+m.phases[1].mean) >= m.phases[0].mean {
		now = 1
	}
	end = length()
	if m.fixed {
		end *= r.Float64() // the remainder of an exponential phase is exponential too
	}
	return func() time.Duration {
		for {
			if rate := m.phases[now].rate; rate > 0 {
				if next := at + r.ExpFloat64()/rate; next <= end {
					at = next
					return time.Duration(at)
				}
			}
			at, now = end, 1-now
			end += length()
		}
	}
}

// With exponential phases of means a and b the rate has the correlation time τ = 1/(1/a + 1/b), so
// the dispersion is 1 + 2τ·Var(rate)/E(rate). With fixed lengths each cycle has the same expected
// number of arrivals, so the dispersion is 1.
func burstsOf(
	rate float64, v param.Values, first, second string, weights [2]float64, fixed bool,
) Bursts {
	a, b := v.Duration(first).Seconds(), v.Duration(second).Seconds()
	burst := Bursts{Dispersion: 1, Memory: max(rate*(a+b), 1)}
	if fixed {
		return burst
	}
	share := a / (a + b)
	mean := weights[0]*share + weights[1]*(1-share)
	high, low := rate*weights[0]/mean, rate*weights[1]/mean
	variance := share * (1 - share) * (high - low) * (high - low)
	burst.Dispersion += 2 * a * b / (a + b) * variance / rate
	return burst
}
