package theory

import "math"

// An erlangMix is the wait and the response of a task that must see m completions of a pool of k
// busy exponential slots before it starts, for a random m. In units of E[S] completions come at
// rate k, so the wait is Erlang(m, k).
type erlangMix struct {
	k        int
	waiting  []float64 // waiting[n]: probability that the task still waits after n events
	serving  []float64 // serving[n]: that it is in service then
	waitProb float64
	meanWait float64
}

// newErlangMix returns the mix for weights[m], the probability of m up to a common factor.
//
// Events come at rate k, whatever the task's own state: one advances the queue by one slot, or, if
// the task is in service, is its own completion with probability 1/k. Counting those events
// (uniformisation) makes both tails Poisson mixtures of positive terms.
func newErlangMix(k int, weights []float64) *erlangMix {
	e := &erlangMix{k: k, waiting: make([]float64, len(weights)),
		serving: make([]float64, len(weights))}
	total := 0.0
	for n := len(weights) - 1; n >= 0; n-- {
		e.waiting[n] = total
		total += weights[n]
	}
	in := 0.0
	for n, w := range weights {
		e.waiting[n] /= total
		e.meanWait += e.waiting[n] / float64(k) // Σ P(m > n) = E[m]
		in = in*e.stay() + w/total
		e.serving[n] = in
	}
	e.waitProb = e.waiting[0]
	return e
}

// stay returns the probability that an event is not the completion of the considered task in
// service.
func (e *erlangMix) stay() float64 { return float64(e.k-1) / float64(e.k) }

func (e *erlangMix) waitLaw(unit float64) *law {
	return &law{unit: unit, mean: max(e.meanWait, 1/float64(e.k)), tail: func(t float64) float64 {
		first, pmf := poisson(float64(e.k) * t)
		sum := 0.0
		for n := first; n < len(e.waiting) && n < first+len(pmf); n++ {
			sum += pmf[n-first] * e.waiting[n]
		}
		return sum
	}}
}

func (e *erlangMix) responseLaw(unit float64) *law {
	last := len(e.waiting) - 1
	return &law{unit: unit, mean: 1 + e.meanWait, tail: func(t float64) float64 {
		first, pmf := poisson(float64(e.k) * t)
		sum := 0.0
		in := e.serving[last] * math.Pow(e.stay(), float64(max(0, first-last)))
		for i, w := range pmf {
			n := first + i
			if n <= last {
				sum += w * (e.waiting[n] + e.serving[n])
				continue
			}
			if i > 0 {
				in *= e.stay()
			}
			sum += w * in
		}
		return sum
	}}
}
