package theory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Starts describes Poisson arrivals at a limit on the rate of starts, where a slot is always free.
type Starts struct {
	Rate        float64 // λ: arrivals per unit of time
	Allowed     float64 // starts per unit of time, 1/D
	Burst       int     // bucket size: unused starts that are kept, at least 1; ignored for a ticker
	MeanService float64 // E[S]; may be 0
	Constant    bool    // all service times are E[S], so the distribution of the response is known
}

func (s Starts) check() error {
	switch {
	case !(s.Rate > 0) || !(s.Allowed > 0) || math.IsInf(s.Rate, 1) || math.IsInf(s.Allowed, 1):
		return fmt.Errorf("theory: rates of %v and %v are not positive", s.Rate, s.Allowed)
	case !(s.MeanService >= 0) || math.IsInf(s.MeanService, 1):
		return fmt.Errorf("theory: a mean service of %v is not possible", s.MeanService)
	case s.Rate >= s.Allowed:
		return &UnstableError{Utilisation: s.Rate / s.Allowed}
	}
	return nil
}

// TokenBucket adds a token every D = 1/Allowed and holds Burst tokens. A start uses one token.
//
// A start adds a debt of D, which decreases at rate 1, so the debt is the work W in an M/D/1 queue.
// The delay of a start is (W − (Burst−1)·D)⁺. The cost is O(1/(1−ρ)), and the result has eight
// digits. Source: Crommelin (1932) for W; Turner, "New directions in communications" (1986) for the
// bucket.
func TokenBucket(s Starts) (*Answer, error) {
	if s.Burst < 1 {
		return nil, errors.New("theory: a bucket keeps at least one token")
	}
	kept := float64(s.Burst - 1)
	return s.delayed(fmt.Sprintf("M/D/1 less %d·D", s.Burst-1),
		func(w func(float64) float64, y float64) float64 { return w(kept + y) })
}

// Ticker ticks every D = 1/Allowed and keeps at most one tick. A start uses one tick.
//
// A task waits for the rest of the current period, U·D with U uniform, and for the tasks ahead of
// it, an M/D/1 queue with service time D, less D for the tick that may be kept: (W + U·D − D)⁺.
func Ticker(s Starts) (*Answer, error) {
	return s.delayed("M/D/1 + U·D − D", overUnit)
}

// of maps the tail of the wait in M/D/1 to the tail of the delay, in units of D.
func (s Starts) delayed(
	model string, of func(w func(float64) float64, y float64) float64,
) (*Answer, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	d := 1 / s.Allowed
	q, err := solveCrommelin(1, s.Rate*d)
	if err != nil {
		return nil, err
	}
	tail := func(y float64) float64 { return of(q.waitTail, y) }
	a := Pool{Rate: s.Rate, MeanService: s.MeanService}.answer(model, tail(0), 0,
		&law{unit: d, tail: tail, mean: q.meanWait + 1}, nil)
	a.MeanWait = d * area(tail)
	a.MeanResponse = a.MeanWait + s.MeanService
	if s.Constant {
		response := *a.wait
		response.from = s.MeanService / d
		a.response = &response
	}
	return a, nil
}

// The tail of M/D/1 is smooth between two multiples of D.
const nodes = 16

// The integral ∫₀¹ w(y+v) dv is split at the multiple of D.
func overUnit(w func(float64) float64, y float64) float64 {
	to := math.Ceil(y) - y
	at := func(v float64) float64 { return w(y + v) }
	sum := 0.0
	if to > 0 {
		sum = quad.Fixed(at, 0, to, nodes, nil, 0)
	}
	if to < 1 {
		sum += quad.Fixed(at, to, 1, nodes, nil, 0)
	}
	return sum
}

// area returns ∫₀^∞ of a tail that is smooth between integers and asymptotically decreases by a
// constant factor from one integer to the next.
func area(tail func(float64) float64) float64 {
	sum, last := 0.0, 0.0
	for i := 0.0; ; i++ {
		piece := quad.Fixed(tail, i, i+1, nodes, nil, 0)
		sum += piece
		ratio := piece / last
		if piece <= 1e-13*sum {
			return sum
		}
		if i > 30 && piece < 1e-6*sum && ratio < 1 {
			return sum + piece*ratio/(1-ratio)
		}
		last = piece
	}
}
