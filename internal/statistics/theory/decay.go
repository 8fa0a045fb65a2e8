package theory

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// h2Tails evaluates the tails of the wait and the response of an h2Queue. By the distributional
// form of Little's law P(W > t) = y·e^{Mt}·1, where M = λG − diag(leaving) and y is h2State.busy.
// The density of W is v·e^{Mt}·1, where v is h2State.arriving. The tails follow from two row
// vectors with x′ = xA and
//
//	A = ( M  1·p )      M over the k+1 phases, p the shares of the branches,
//	    ( 0  −μ  )      the last two states a task's own service.
//
// The first vector starts at y, and the sum of its phases is P(W > t). The second starts at v and
// at the tasks that do not wait. P(T > t) is P(W > t) plus the sum of its last two states. e^{At}
// has no negative elements, so the relative error is only ε·ct. Numerical inversion of the Laplace
// transform would give only eight digits.
type h2Tails struct {
	n     int
	c     float64    // uniformisation rate, at least the rate of leaving any state
	jump  *mat.Dense // I + A/c, non-negative
	start *mat.Dense
	steps []*mat.Dense // steps[i] = e^{A·2^i/c}, up to a time that almost no response exceeds
}

func newH2Tails(q h2Queue, s *h2State) *h2Tails {
	d := &h2Tails{n: q.k + 1}
	dim := d.n + 2
	a := mat.NewDense(dim, dim, nil)
	for i := range d.n {
		for j := range d.n {
			a.Set(i, j, q.rate*s.passage.At(i, j))
		}
		a.Set(i, i, a.At(i, i)-q.leaving(q.k, i))
		a.Set(i, d.n, q.share[0])
		a.Set(i, d.n+1, q.share[1])
	}
	a.Set(d.n, d.n, -q.mu[0])
	a.Set(d.n+1, d.n+1, -q.mu[1])
	for i := range dim {
		d.c = max(d.c, -a.At(i, i))
	}
	d.jump = scaledIdentity(dim, 1)
	a.Scale(1/d.c, a)
	d.jump.Add(d.jump, a)

	d.start = mat.NewDense(2, dim, nil)
	for i := range d.n {
		d.start.Set(0, i, s.busy.At(0, i))
		d.start.Set(1, i, s.arriving.At(0, i))
	}
	d.start.Set(1, d.n, (1-s.waitProb)*q.share[0])
	d.start.Set(1, d.n+1, (1-s.waitProb)*q.share[1])

	step := d.short(scaledIdentity(dim, 1), 1)
	for {
		d.steps = append(d.steps, step)
		if d.response(product(d.start, step)) < 1e-20 {
			return d
		}
		step = product(step, step)
	}
}

// short returns x·e^{Aτ/c} for 0 ≤ τ ≤ 1 as e^{−τ}Σ τ^j/j!·x(I+A/c)^j.
func (d *h2Tails) short(x *mat.Dense, tau float64) *mat.Dense {
	term, total := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
	for j := 1.0; tau > 0; j++ {
		next := product(term, d.jump)
		next.Scale(tau/j, next)
		total.Add(total, next)
		if mat.Max(next) < epsilon/16*mat.Max(total) {
			break
		}
		term = next
	}
	total.Scale(math.Exp(-tau), total)
	return total
}

// at returns the two row vectors at time t: it applies a step for each binary digit of ct, then the
// fractional part.
func (d *h2Tails) at(t float64) *mat.Dense {
	x, tau := d.start, d.c*t
	for i := len(d.steps) - 1; i >= 0; i-- {
		for length := math.Ldexp(1, i); tau >= length; tau -= length {
			x = product(x, d.steps[i])
			if d.response(x) == 0 {
				return x
			}
		}
	}
	return d.short(x, tau)
}

func (d *h2Tails) wait(x *mat.Dense) float64 { return sum(x.RawRowView(0)[:d.n]) }

func (d *h2Tails) response(x *mat.Dense) float64 { return d.wait(x) + sum(x.RawRowView(1)[d.n:]) }

func (d *h2Tails) waitTail(t float64) float64 { return d.wait(d.at(t)) }

func (d *h2Tails) responseTail(t float64) float64 { return d.response(d.at(t)) }
