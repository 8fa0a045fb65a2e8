package theory

import "math"

// In an erlangMix, a task starts after a random number m of completions of k busy exponential
// slots. In units of E[S] its wait is Erlang(m, k).
type erlangMix struct {
	k        int
	waiting  []float64 // waiting[n]: probability that the task still waits after n events
	serving  []float64 // serving[n]: probability that it is in service after n events
	waitProb float64
	meanWait float64
}

// weights[m] is the probability of m up to a common factor. By uniformisation, events occur at rate
// k in every state of the task. An event advances the queue, or, if the task is in service,
// completes it with probability 1/k. Both tails are then Poisson mixtures of positive terms.
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
		e.meanWait += e.waiting[n] / float64(k)
		in = in*e.stay() + w/total
		e.serving[n] = in
	}
	e.waitProb = e.waiting[0]
	return e
}

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
