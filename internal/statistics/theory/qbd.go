package theory

import (
	"errors"

	"gonum.org/v1/gonum/floats"
)

// firstPassage returns the matrix G of a quasi-birth–death process: G[i][j] is the probability that
// a process which starts in phase i of some level first reaches the level below in phase j. Within
// a level phases do not change; above and below are the matrices of rates to the next level, their
// rows summing to what leaves a phase. Each step doubles the number of levels looked at: seven or
// so at utilisation 0.9, and one more whenever the distance to 1 is halved.
//
// Source: logarithmic reduction, G. Latouche and V. Ramaswami, Journal of Applied Probability 30
// (1993).
func firstPassage(above, below *dense) (*dense, error) {
	h, l := above.clone(), below.clone()
	n := h.rows
	for i := range n {
		up, down := h.row(i), l.row(i)
		out := sum(up) + sum(down)
		for j := range n {
			up[j] /= out
			down[j] /= out
		}
	}
	// h and l are the chances that the process, watched on every 2^s-th level, next moves up or
	// down, and into which phase.
	g, t := l.clone(), h.clone()
	for range 100 {
		round, hh, ll := h.times(l), h.times(h), l.times(l)
		round.add(l.times(h))
		gone := make([]float64, n)
		for i := range gone {
			gone[i] = sum(hh.row(i)) + sum(ll.row(i))
		}
		e := newEscape(round, gone)
		h, l = e.solve(hh), e.solve(ll)
		g.add(t.times(l))
		t = t.times(h)
		if t.max() < epsilon/16 {
			return g, nil
		}
	}
	return nil, errors.New("theory: logarithmic reduction did not converge")
}

// stationary returns the row vector π with πB = 0 and Σπ = 1 for a generator B, of which only the
// rates off the diagonal are looked at, by taking out state after state as newEscape does.
func stationary(generator *dense) []float64 {
	n := generator.rows
	gone := make([]float64, n)
	gone[n-1] = 1 // the last state's pivot would be 0; its own scale is free
	e := newEscape(generator, gone)
	pi := newDense(1, n)
	pi.set(0, n-1, 1)
	v := pi.row(0)
	for i := n - 1; i > 0; i-- {
		floats.AddScaled(v[:i], v[i], e.rate.row(i)[:i])
	}
	total := sum(v)
	for i := range v {
		v[i] /= total
	}
	return v
}

// A geometric sums matrix powers: Σ_n xRⁿ as x(I+R)(I+R²)(I+R⁴)…, which for R ≥ 0 has positive
// terms only.
type geometric []*dense // R, R², R⁴, … until nothing is left

func newGeometric(r *dense) geometric {
	g := geometric{r}
	for len(g) < 64 && g[len(g)-1].max() > epsilon*epsilon {
		last := g[len(g)-1]
		g = append(g, last.times(last))
	}
	return g
}

func (g geometric) sum(x *dense) *dense {
	total := x.clone()
	for _, r := range g {
		total.add(total.times(r))
	}
	return total
}
