package theory

import (
	"fmt"
	"math"
)

type Closed struct {
	Clients     int
	Think       float64 // Z: mean think time; 0 means no pause
	MeanService float64
	Limit       int // k: largest number of tasks in flight
}

// MMkN returns the answer for the closed queue M/M/k//N (machine repair): exponential service
// times, think times of any distribution. By the arrival theorem an arriving task sees the steady
// state with one client fewer. The throughput follows from N = X·(Z + E[T]).
//
// Source: Sevcik and Mitrani (1981), Lavenberg and Reiser (1980).
func MMkN(c Closed) (*Answer, error) {
	if err := positive("mean service time", c.MeanService); err != nil {
		return nil, err
	}
	switch {
	case c.Clients < 1:
		return nil, fmt.Errorf("theory: clients must be at least 1, got %d", c.Clients)
	case c.Limit < 1:
		return nil, fmt.Errorf("theory: limit must be at least 1, got %d", c.Limit)
	case !(c.Think >= 0) || math.IsInf(c.Think, 1):
		return nil, fmt.Errorf("theory: mean think time must be finite and at least 0, got %v",
			c.Think)
	}
	seen := inPool(c.Clients-1, c.Think/c.MeanService, c.Limit)
	stages := make([]float64, max(1, c.Clients-c.Limit+1))
	for n, p := range seen {
		stages[max(0, n-c.Limit+1)] += p
	}
	w := newErlangMix(c.Limit, stages)
	response := c.MeanService * (1 + w.meanWait)
	through := float64(c.Clients) / (c.Think + response)
	return Pool{Rate: through, MeanService: c.MeanService}.answer(
		fmt.Sprintf("M/M/%d//%d", c.Limit, c.Clients), w.waitProb, w.meanWait,
		w.waitLaw(c.MeanService), w.responseLaw(c.MeanService)), nil
}

// inPool returns the probabilities of n = 0…clients tasks in the pool, up to a common factor:
// p(n−1)/p(n) = min(n,k)·Z/(N−n+1), where Z is think in units of E[S]. Sums of logarithms do not
// overflow and allow Z = 0.
func inPool(clients int, think float64, limit int) []float64 {
	p := make([]float64, clients+1)
	top := 0.0
	for n := clients; n > 0; n-- {
		p[n-1] = p[n] + math.Log(float64(min(n, limit))*think/float64(clients-n+1))
		top = max(top, p[n-1])
	}
	for n := range p {
		p[n] = math.Exp(p[n] - top)
	}
	return p
}
