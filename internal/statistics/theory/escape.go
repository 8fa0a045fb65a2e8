package theory

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gthFactors is the factorised matrix D − A of a transient Markov chain: A ≥ 0 contains the rates
// between states, D is diagonal, and each row sums to the state's exit rate. Without subtractions,
// each element is exact to a few ε. General solvers are off by forty orders of magnitude for 64
// slots at a low load.
//
// Source: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Operations Research 33 (1985); C. A.
// O'Cinneide, Numerische Mathematik 65 (1993), for the error bound.
type gthFactors struct {
	n int
	// above the diagonal: A after eliminating lower states; below: L, as multiples of the pivot
	rate  *mat.Dense
	pivot []float64
}

// newGTHFactors ignores the diagonal of between. exit[i] is the exit rate of state i.
func newGTHFactors(between *mat.Dense, exit []float64) *gthFactors {
	n, _ := between.Dims()
	e := &gthFactors{n: n, rate: mat.DenseCopyOf(between), pivot: make([]float64, n)}
	exit = slices.Clone(exit)
	for p := range n {
		row := e.rate.RawRowView(p)
		e.pivot[p] = exit[p] + sum(row[p+1:])
		for i := p + 1; i < n; i++ {
			other := e.rate.RawRowView(i)
			share := other[p] / e.pivot[p]
			other[p] = share
			for j := p + 1; j < n; j++ {
				other[j] += share * row[j]
			}
			exit[i] += share * exit[p]
		}
	}
	return e
}

// solve returns X with (D − A)X = B, for B ≥ 0.
func (e *gthFactors) solve(b *mat.Dense) *mat.Dense {
	x := mat.DenseCopyOf(b)
	for i := range e.n {
		for p := range i {
			floats.AddScaled(x.RawRowView(i), e.rate.At(i, p), x.RawRowView(p))
		}
	}
	for p := e.n - 1; p >= 0; p-- {
		row := x.RawRowView(p)
		for j := p + 1; j < e.n; j++ {
			floats.AddScaled(row, e.rate.At(p, j), x.RawRowView(j))
		}
		for c := range row {
			row[c] /= e.pivot[p]
		}
	}
	return x
}

// solveLeft returns X with X(D − A) = B, for B ≥ 0.
func (e *gthFactors) solveLeft(b *mat.Dense) *mat.Dense {
	x := mat.DenseCopyOf(b)
	rows, _ := x.Dims()
	for r := range rows {
		v := x.RawRowView(r)
		for p := range v {
			v[p] /= e.pivot[p]
			floats.AddScaled(v[p+1:], v[p], e.rate.RawRowView(p)[p+1:])
		}
		for i := e.n - 1; i > 0; i-- {
			floats.AddScaled(v[:i], v[i], e.rate.RawRowView(i)[:i])
		}
	}
	return x
}

// product is mat.Dense.Mul without the code for triangular and symmetric matrices, which would
// enlarge the playground by 1 %.
func product(a, b *mat.Dense) *mat.Dense {
	rows, _ := a.Dims()
	_, columns := b.Dims()
	c := mat.NewDense(rows, columns, nil)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a.RawMatrix(), b.RawMatrix(), 0, c.RawMatrix())
	return c
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}
