package theory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Starts are Poisson arrivals at something that lets a task start so many times a second, where a
// slot is never wanting.
type Starts struct {
	Rate        float64 // λ: arrivals per unit of time
	Allowed     float64 // starts per unit of time, 1/D
	Burst       int     // most starts that are kept unused, at least 1; not asked of a ticker
	MeanService float64 // E[S]; may be 0
	Constant    bool    // every service time is E[S], so that the response has a known distribution
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

// TokenBucket is the delay by a bucket of tokens: a token comes every D = 1/Allowed, up to Burst
// are kept, a start takes one.
//
// With all tokens at hand nothing is owed. A start owes D, which is paid back as time goes by, so
// what is owed is the work in an M/D/1 queue with service time D, and a task starts at once while
// that is at most (Burst−1)·D: the delay is (W − (Burst−1)·D)⁺. It takes O(1/(1−ρ)) and is good to
// eight digits. Source: Crommelin (1932) for W; Turner, "New directions in communications" (1986)
// for the bucket.
func TokenBucket(s Starts) (*Answer, error) {
	if s.Burst < 1 {
		return nil, errors.New("theory: a bucket keeps at least one token")
	}
	kept := float64(s.Burst - 1)
	return s.delayed(fmt.Sprintf("M/D/1 less %d·D", s.Burst-1),
		func(w func(float64) float64, y float64) float64 { return w(kept + y) })
}

// Ticker is the delay by a ticker: ticks come every D = 1/Allowed, one is kept, a start takes one.
//
// Starts happen in slots of D, so a task waits for the rest of the slot, U·D with U uniform, and
// for those before it, who are an M/D/1 queue with service time D; less D, for the tick that may be
// in store: (W + U·D − D)⁺. Cost and accuracy are TokenBucket's.
func Ticker(s Starts) (*Answer, error) {
	return s.delayed("M/D/1 + U·D − D", overUnit)
}

// delayed makes the answer of a delay whose tail, in units of D, is made from that of the wait in
// M/D/1.
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

// nodes of a Gauss–Legendre rule on a piece where the tail of M/D/1 is smooth: between two
// multiples of D.
const nodes = 16

// overUnit is ∫₀¹ w(y+v) dv, in the two pieces that a multiple of D makes of it.
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

// area is ∫₀^∞ of a tail that is smooth between whole numbers and in the end falls by the same
// factor from each to the next.
func area(tail func(float64) float64) float64 {
	sum, last := 0.0, 0.0
	for i := 0.0; ; i++ {
		piece := quad.Fixed(tail, i, i+1, nodes, nil, 0)
		sum += piece
		ratio := piece / last
		if piece <= 1e-13*sum {
			return sum // what is left is the tail of a tail
		}
		if i > 30 && piece < 1e-6*sum && ratio < 1 {
			return sum + piece*ratio/(1-ratio)
		}
		last = piece
	}
}
