package theory

import (
	"errors"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// firstPassage returns the matrix G of a quasi-birth–death process: G[i][j] is the probability that
// a process in phase i first reaches the next lower level in phase j. Phases do not change within a
// level. above and below contain the rates to the next levels. It takes about seven iterations at ρ
// = 0.9, and one more each time 1−ρ is halved.
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
	// h and l are the probabilities that the process, observed on every 2^s-th level, next moves up
	// or down, and into which phase.
	g, t := mat.DenseCopyOf(l), mat.DenseCopyOf(h)
	for range 100 {
		round, hh, ll := product(h, l), product(h, h), product(l, l)
		round.Add(round, product(l, h))
		exit := make([]float64, n)
		for i := range exit {
			exit[i] = sum(hh.RawRowView(i)) + sum(ll.RawRowView(i))
		}
		e := newGTHFactors(round, exit)
		h, l = e.solve(hh), e.solve(ll)
		g.Add(g, product(t, l))
		t = product(t, h)
		if mat.Max(t) < epsilon/16 {
			return g, nil
		}
	}
	return nil, errors.New("theory: logarithmic reduction did not converge")
}

// stationary returns the row vector π with πB = 0 and Σπ = 1 for a generator B. It ignores the
// diagonal of B.
func stationary(generator *mat.Dense) []float64 {
	n, _ := generator.Dims()
	exit := make([]float64, n)
	exit[n-1] = 1 // any value other than 0, which would be the last state's pivot
	e := newGTHFactors(generator, exit)
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

// geometric computes Σ_n xRⁿ as x(I+R)(I+R²)(I+R⁴)…, which has only positive terms for R ≥ 0.
type geometric []*mat.Dense // R, R², R⁴, … until the elements are negligible

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
