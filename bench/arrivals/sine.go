package arrivals

import (
	"errors"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// At time t the rate is m(1 + A sin(o + ωt)), so the expected number of arrivals until t is
//
//	H(t) = mt + mA/ω · (cos o − cos(o + ωt))
//
// and task n is due at H⁻¹(n+1). H increases strictly because A < 1.
var _ = register(Spec{
	Name:     "sine",
	Summary:  "a rate that oscillates around the scenario's, like a daily cycle",
	Source:   "vegeta's SinePacer, solved to the nanosecond",
	Unsteady: true,
	Keys: []param.Key{
		{Name: "period", Kind: param.Duration, Default: "10s", Doc: "of the swing"},
		{Name: "amp", Kind: param.Float, Default: "0.5",
			Doc: "amplitude of the rate, as a share of its mean: at least 0 and below 1"},
		{Name: "phase", Kind: param.Float, Default: "0", Doc: "phase at the start, in periods: 0 " +
			"is the mean and rising, 0.25 the peak, 0.75 the trough"},
	},
	Open: func(rate float64, _ uint64, v param.Values) (Next, error) {
		period, amp, phase := v.Duration("period").Seconds(), v.Float("amp"), v.Float("phase")
		switch {
		case period == 0:
			return nil, errors.New("period: want more than 0")
		case amp < 0 || amp >= 1:
			return nil, errors.New("amp: want a number of at least 0 and below 1")
		case phase < 0 || phase >= 1:
			return nil, errors.New("phase: want a number of at least 0 and below 1")
		}
		s := swing{rate: rate, amp: amp, turn: 2 * math.Pi / period, offset: 2 * math.Pi * phase}
		var n, at float64
		return func() time.Duration {
			n++
			at = s.inverse(n, at)
			return time.Duration(at * float64(time.Second))
		}, nil
	},
})

type swing struct{ rate, amp, turn, offset float64 }

func (s swing) at(t float64) float64 { return s.rate * (1 + s.amp*math.Sin(s.offset+s.turn*t)) }

func (s swing) count(t float64) float64 {
	return s.rate * (t + s.amp/s.turn*(math.Cos(s.offset)-math.Cos(s.offset+s.turn*t)))
}

// inverse uses Newton's method from a time with a smaller count, and bisection when a step leaves
// the bracket.
func (s swing) inverse(n, from float64) float64 {
	lo, hi := from, n/s.rate+2*s.amp/s.turn // the cosines differ by at most 2
	t := min(max(from+1/s.at(from), lo), hi)
	for range 100 {
		miss := s.count(t) - n
		if miss < 0 {
			lo = t
		} else {
			hi = t
		}
		step := miss / s.at(t)
		if math.Abs(step) < 1e-10 {
			break
		}
		if t -= step; t < lo || t > hi {
			t = (lo + hi) / 2
		}
	}
	return max(t, from)
}
