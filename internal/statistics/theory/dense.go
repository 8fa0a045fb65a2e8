package theory

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// A dense matrix, by rows. gonum's mat.Dense is the same on the same kernel, and costs 2 MB: see
// samples.Mean.
type dense struct {
	rows, cols int
	data       []float64
}

func newDense(rows, cols int, data ...float64) *dense {
	if data == nil {
		data = make([]float64, rows*cols)
	}
	return &dense{rows, cols, data}
}

func (m *dense) clone() *dense { return &dense{m.rows, m.cols, slices.Clone(m.data)} }

func (m *dense) row(i int) []float64 { return m.data[i*m.cols : (i+1)*m.cols] }

func (m *dense) at(i, j int) float64 { return m.data[i*m.cols+j] }

func (m *dense) set(i, j int, v float64) { m.data[i*m.cols+j] = v }

func (m *dense) times(b *dense) *dense {
	c := newDense(m.rows, b.cols)
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, m.rows, b.cols, m.cols, 1, m.data,
		m.cols, b.data, b.cols, 0, c.data, c.cols)
	return c
}

func (m *dense) add(b *dense) {
	for i, v := range b.data {
		m.data[i] += v
	}
}

func (m *dense) scale(c float64) {
	for i := range m.data {
		m.data[i] *= c
	}
}

func (m *dense) max() float64 { return slices.Max(m.data) }
