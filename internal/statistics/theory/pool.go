package theory

import (
	"cmp"
	"fmt"
	"math"
)

// A Pool is an open queue: Poisson arrivals, at most Limit tasks in flight, first come first
// served.
type Pool struct {
	Rate        float64
	MeanService float64
	Limit       int
}

func (p Pool) Offered() float64 { return p.Rate * p.MeanService }

func (p Pool) Utilisation() float64 { return p.Offered() / float64(p.Limit) }

// An UnstableError means that arrivals reach the capacity, so the queue has no steady state.
type UnstableError struct {
	Utilisation float64
}

func (e *UnstableError) Error() string {
	return fmt.Sprintf("unstable: utilisation %.4g", e.Utilisation)
}

func (p Pool) validate() error {
	if err := cmp.Or(positive("rate", p.Rate), positive("mean service time", p.MeanService),
		positive("offered load", p.Offered())); err != nil {
		return err
	}
	if p.Limit < 1 {
		return fmt.Errorf("theory: limit must be at least 1, got %d", p.Limit)
	}
	return nil
}

func (p Pool) stable() error {
	if err := p.validate(); err != nil {
		return err
	}
	if rho := p.Utilisation(); rho >= 1 {
		return &UnstableError{rho}
	}
	return nil
}

// The queue does not shed. meanWait is in units of E[S].
func (p Pool) answer(model string, waitProb, meanWait float64, wait, response *law) *Answer {
	return &Answer{
		Model:        model,
		Throughput:   p.Rate,
		MeanInFlight: p.Offered(),
		WaitProb:     waitProb,
		MeanWait:     p.MeanService * meanWait,
		MeanResponse: p.MeanService * (1 + meanWait),
		wait:         wait,
		response:     response,
	}
}

func tooClose(model string, rho float64) error {
	return fmt.Errorf("theory: %s: utilisation %v is too close to 1 for an exact value", model, rho)
}

func positive(what string, v float64) error {
	if v > 0 && !math.IsInf(v, 1) {
		return nil
	}
	return fmt.Errorf("theory: %s must be positive and finite, got %v", what, v)
}
