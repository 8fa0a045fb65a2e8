package theory

import (
	"errors"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// firstPassage returns the matrix G of a quasi-birth–death process: G[i][j] is the probability that
// a process which starts in phase i of some level first reaches the level below in phase j. Within
// a level phases do not change. above and below are the matrices of rates to the next level, and
// their rows add up to the rate of leaving a phase. Each step doubles the number of levels: about
// seven at utilisation 0.9, and one more whenever the distance to 1 is halved.
//
// Source: logarithmic reduction, G. Latouche and V. Ramaswami, Journal of Applied Probability 30
// (1993).
func firstPassage(above, below *mat.Dense) (*mat.Dense, error) {
	h, l := mat.DenseCopyOf(above), mat.DenseCopyOf(below)
	n, _ := h.Dims()
	for i := range n {
		up, down := h.RawRowView(i), l.RawRowView(i)
		out := sum(up) + sum(down)
		for j := range n {
			up[j] /= out
			down[j] /= out
		}
	}
	// h and l are the probabilities that the process, watched on every 2^s-th level, next moves up or
	// down, and into which phase.
	g, t := mat.DenseCopyOf(l), mat.DenseCopyOf(h)
	for range 100 {
		round, hh, ll := product(h, l), product(h, h), product(l, l)
		round.Add(round, product(l, h))
		gone := make([]float64, n)
		for i := range gone {
			gone[i] = sum(hh.RawRowView(i)) + sum(ll.RawRowView(i))
		}
		e := newEscape(round, gone)
		h, l = e.solve(hh), e.solve(ll)
		g.Add(g, product(t, l))
		t = product(t, h)
		if mat.Max(t) < epsilon/16 {
			return g, nil
		}
	}
	return nil, errors.New("theory: logarithmic reduction did not converge")
}

// stationary returns the row vector π with πB = 0 and Σπ = 1 for a generator B, by eliminating
// states like newEscape. It ignores the diagonal of B.
func stationary(generator *mat.Dense) []float64 {
	n, _ := generator.Dims()
	gone := make([]float64, n)
	gone[n-1] = 1 // the last state's pivot would be 0, and its scale is arbitrary
	e := newEscape(generator, gone)
	pi := mat.NewDense(1, n, nil)
	pi.Set(0, n-1, 1)
	v := pi.RawRowView(0)
	for i := n - 1; i > 0; i-- {
		floats.AddScaled(v[:i], v[i], e.rate.RawRowView(i)[:i])
	}
	total := sum(v)
	for i := range v {
		v[i] /= total
	}
	return v
}

// A geometric sums matrix powers: Σ_n xRⁿ as x(I+R)(I+R²)(I+R⁴)…, which for R ≥ 0 has positive
// terms only.
type geometric []*mat.Dense // R, R², R⁴, … until nothing is left

func newGeometric(r *mat.Dense) geometric {
	g := geometric{r}
	for len(g) < 64 && mat.Max(g[len(g)-1]) > epsilon*epsilon {
		last := g[len(g)-1]
		g = append(g, product(last, last))
	}
	return g
}

func (g geometric) sum(x *mat.Dense) *mat.Dense {
	total := mat.DenseCopyOf(x)
	for _, r := range g {
		total.Add(total, product(total, r))
	}
	return total
}
