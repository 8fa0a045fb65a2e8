package theory

import (
	"fmt"
	"math"
)

// MMk returns the answer for the queue M/M/k: exponential service times. Erlang's C is the
// probability of a wait. A positive wait is exponential with rate θ = (k−a)/E[S]. Source: A. K.
// Erlang (1917); any textbook, e.g. Adan and Resing, Queueing Systems, chapter 5.
func MMk(p Pool) (*Answer, error) {
	if err := p.stable(); err != nil {
		return nil, err
	}
	a := p.Offered()
	theta := float64(p.Limit) - a
	c := erlangC(p.Limit, a)
	mean := c / theta
	return p.answer(fmt.Sprintf("M/M/%d", p.Limit), c, mean,
		&law{unit: p.MeanService, mean: 1 / theta, tail: func(t float64) float64 {
			return c * math.Exp(-theta*t)
		}}, &law{unit: p.MeanService, mean: 1 + mean, tail: func(t float64) float64 {
			return math.Exp(-t) + c*between(1, theta, t)
		}}), nil
}

// between returns (e^{−at} − e^{−bt})/(b − a), the density of the sum of two exponential times
// divided by ab, without cancellation if a and b are close.
func between(a, b, t float64) float64 {
	x := math.Abs(a-b) * t
	if x == 0 {
		return t * math.Exp(-a*t)
	}
	return math.Exp(-min(a, b)*t) * t * -math.Expm1(-x) / x
}

// The shares are lost and served by k slots without a queue. The recursion B(i) = aB(i−1)/(i +
// aB(i−1)) has positive terms only. served is not computed as 1 − lost, so it is exact even if it
// is tiny.
func erlangB(k int, a float64) (lost, served float64) {
	lost = 1
	for i := 1; i <= k; i++ {
		n, l := float64(i), a*lost
		lost, served = l/(n+l), n/(n+l)
	}
	return lost, served
}

// erlangC returns the probability of a wait for a < k: B/(1 − ρ(1−B)).
func erlangC(k int, a float64) float64 {
	b, _ := erlangB(k, a)
	return b / ((float64(k)-a)/float64(k) + a/float64(k)*b)
}
