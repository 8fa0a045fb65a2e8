package theory

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// With twice this limit, MH2k takes two seconds.
const maxPhases = 128

// MH2k returns the answer for the queue M/H2/k: hyperexponential service times. It takes 20 ms for
// 64 slots. A limit above 128 is an error. Any method loses 1e−16/(1−ρ) near ρ = 1, so a
// utilisation above 1−1e−8 is an error.
//
// The state is (n, i): n tasks in the system, i of them in service on branch 1. For n ≥ k it is a
// quasi-birth–death process with the same k+1 phases on every level, solved by logarithmic
// reduction. The lower levels are eliminated one by one.
//
// Source: M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models (1981); V. Ramaswami and D.
// M. Lucantoni, Stochastic Models 1 (1985).
func MH2k(rate float64, h H2, limit int) (*Answer, error) {
	if err := h.validate(); err != nil {
		return nil, err
	}
	mean := h.Mean()
	p := Pool{Rate: rate, MeanService: mean, Limit: limit}
	if err := p.stable(); err != nil {
		return nil, err
	}
	if limit > maxPhases {
		return nil, fmt.Errorf("theory: M/H2/k accepts limits up to %d, got %d", maxPhases, limit)
	}
	if rho := p.Utilisation(); rho > 1-1e-8 {
		return nil, tooClose("M/H2/k", rho)
	}
	q := h2Queue{k: limit, rate: p.Offered(), share: [2]float64{h.P1, 1 - h.P1},
		mu: [2]float64{mean / h.Mean1, mean / h.Mean2}}
	s, err := q.solve()
	if err != nil {
		return nil, fmt.Errorf("theory: M/H2/%d at utilisation %v: %w", limit, p.Utilisation(), err)
	}
	d := newH2Tails(q, s)
	return p.answer(fmt.Sprintf("M/H2/%d", limit), s.waitProb, s.meanWait,
		&law{unit: mean, mean: s.meanWait + 1/float64(limit), tail: d.waitTail},
		&law{unit: mean, mean: 1 + s.meanWait, tail: d.responseTail}), nil
}

type h2Queue struct {
	k     int
	rate  float64 // λ, equal to a in units of E[S]
	share [2]float64
	mu    [2]float64
}

func (q h2Queue) leaving(n, i int) float64 { return float64(i)*q.mu[0] + float64(n-i)*q.mu[1] }

// The new task selects its branch.
func (q h2Queue) up(n int) *mat.Dense {
	m := mat.NewDense(n+1, n+2, nil)
	for i := range n + 1 {
		m.Set(i, i+1, q.rate*q.share[0])
		m.Set(i, i, q.rate*q.share[1])
	}
	return m
}

func (q h2Queue) down(n int) *mat.Dense {
	m := mat.NewDense(n+1, n, nil)
	for i := range n + 1 {
		if i > 0 {
			m.Set(i, i-1, float64(i)*q.mu[0])
		}
		if i < n {
			m.Set(i, i, float64(n-i)*q.mu[1])
		}
	}
	return m
}

// Above level k, a task ends, and a waiting one selects its branch.
func (q h2Queue) replace() *mat.Dense {
	m := mat.NewDense(q.k+1, q.k+1, nil)
	for i := range q.k + 1 {
		one, two := float64(i)*q.mu[0], float64(q.k-i)*q.mu[1]
		m.Set(i, i, one*q.share[0]+two*q.share[1])
		if i > 0 {
			m.Set(i, i-1, one*q.share[1])
		}
		if i < q.k {
			m.Set(i, i+1, two*q.share[0])
		}
	}
	return m
}

type h2State struct {
	passage *mat.Dense   // G of the levels n ≥ k
	below   []*mat.Dense // below[n]: row vector of the phases of level n < k
	// row vector of the phases with all k slots busy, summed over the levels n ≥ k
	busy *mat.Dense
	// rate of arrivals into each phase of level k from level k−1
	arriving *mat.Dense
	waitProb float64
	meanWait float64
}

// solve eliminates the levels below k in ascending order: π_n = π_{n+1}K_n, where K_n =
// down·(D−A)⁻¹ for the chain on the levels up to n, with exit rate λ. The remaining chain has the
// phases of level k, with excursions above it included as λG. Above level k π_{n+1} = π_nR, with R
// = λ(D − λG)⁻¹ for a chain whose exit rates are the completion rates.
func (q h2Queue) solve() (*h2State, error) {
	g, err := firstPassage(scaledIdentity(q.k+1, q.rate), q.replace())
	if err != nil {
		return nil, err
	}
	s := &h2State{passage: g, below: make([]*mat.Dense, q.k)}
	down := make([]*mat.Dense, q.k)
	between := mat.NewDense(1, 1, nil)
	for n := range q.k {
		exit := slices.Repeat([]float64{q.rate}, n+1)
		down[n] = newGTHFactors(between, exit).solveLeft(q.down(n + 1))
		between = product(down[n], q.up(n))
	}
	excursion := mat.DenseCopyOf(g)
	excursion.Scale(q.rate, excursion)
	between.Add(between, excursion)
	level := mat.NewDense(1, q.k+1, stationary(between))

	exit := make([]float64, q.k+1)
	for i := range exit {
		exit[i] = q.leaving(q.k, i)
	}
	powers := newGeometric(newGTHFactors(excursion, exit).solveLeft(scaledIdentity(q.k+1, q.rate)))
	s.busy = powers.sum(level)
	s.waitProb = mat.Sum(s.busy)
	queued := powers.sum(product(s.busy, powers[0]))
	s.meanWait = mat.Sum(queued) / q.rate

	for n := q.k - 1; n >= 0; n-- {
		level = product(level, down[n])
		s.below[n] = level
		if n == q.k-1 {
			s.arriving = product(level, q.up(n))
		}
		if x := mat.Sum(level); x > 1e100 {
			s.scale(1 / x) // avoids overflow if the states above are too rare for a float64
		}
	}
	total := s.waitProb
	for _, v := range s.below {
		total += mat.Sum(v)
	}
	s.scale(1 / total)
	return s, nil
}

func (s *h2State) scale(c float64) {
	for _, v := range append([]*mat.Dense{s.busy, s.arriving}, s.below...) {
		if v != nil {
			v.Scale(c, v)
		}
	}
	s.waitProb *= c
	s.meanWait *= c
}

func scaledIdentity(n int, c float64) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, c)
	}
	return m
}
