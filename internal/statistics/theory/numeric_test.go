package theory

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestFourierIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 2; n <= 64; n *= 2 {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		want := make([]complex128, n)
		for m := range want {
			for j, v := range x {
				want[m] += v * cmplx.Rect(1, -2*math.Pi*float64(j*m%n)/float64(n))
			}
		}
		newFourier(n).transform(x)
		for m := range want {
			if cmplx.Abs(x[m]-want[m]) > 1e-13 {
				t.Errorf("n = %d: element %d is %v, want %v", n, m, x[m], want[m])
			}
		}
	}
}

func TestRoot(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      func(float64) float64
		lo, hi float64
		want   float64
	}{
		{"line", func(x float64) float64 { return 2 - x }, 0, 10, 2},
		{"cube", func(x float64) float64 { return x*x*x - 2 }, 0, 100, math.Cbrt(2)},
		{"flat", func(x float64) float64 { return math.Pow(x-1, 9) }, 0, 3, 1},
		{"step", func(x float64) float64 {
			if x < math.Pi {
				return 1
			}
			return -1
		}, 0, 1e6, math.Pi},
		{"infinite end", math.Log, 0, 7, 1},
		{"tiny", func(x float64) float64 { return math.Log(x / 1e-30) }, 0, 1, 1e-30},
		{"zero at an end", func(x float64) float64 { return -x }, 0, 1, 0},
	} {
		calls := 0
		got := root(func(x float64) float64 { calls++; return c.f(x) }, c.lo, c.hi)
		tolerance := 4 * epsilon
		if c.name == "flat" {
			// near the root the function is flat, so only its sign is accurate
			tolerance = 1e-12
		}
		if math.Abs(got-c.want) > tolerance*math.Abs(c.want) {
			t.Errorf("%s: %v after %d calls, want %v", c.name, got, calls, c.want)
		}
	}
}

func TestPoisson(t *testing.T) {
	for _, mean := range []float64{0, 1e-9, 0.3, 1, 17.5, 400, 1e5} {
		first, pmf := poisson(mean)
		sum, moment := 0.0, 0.0
		for i, p := range pmf {
			n := float64(first + i)
			sum += p
			moment += p * n
			if p > 1e-250 && mean > 0 {
				lgamma, _ := math.Lgamma(n + 1)
				near(t, "probability", p, math.Exp(n*math.Log(mean)-mean-lgamma),
					1e-13*(1+n*math.Log(1+n)))
			}
		}
		near(t, "sum", sum, 1, 1e-14)
		near(t, "mean", moment, mean, 1e-13)
	}
}

// Rates differ by up to forty orders of magnitude. Pivoting would lose accuracy in single elements.
func TestFactorsAreExactInEachElement(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const n = 5
	for range 25 {
		between, exit, b := mat.NewDense(n, n, nil), make([]float64, n), mat.NewDense(n, n, nil)
		wild := func() float64 { return math.Exp(r.Float64()*90 - 60) }
		for i := range n {
			exit[i] = wild()
			for j := range n {
				b.Set(i, j, wild())
				if i != j {
					between.Set(i, j, wild())
				}
			}
		}
		e := newGTHFactors(between, exit)
		same := func(what string, got *mat.Dense, want [][]*big.Rat) {
			for i := range n {
				for j := range n {
					w, _ := want[i][j].Float64()
					near(t, what, got.At(i, j), w, 1e-14)
				}
			}
		}
		same("(D − A)X = B", e.solve(b), exactSolve(between, exit, b))
		left, transposed := e.solveLeft(b), mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				transposed.Set(j, i, left.At(i, j))
			}
		}
		same("X(D − A) = B", transposed, exactSolveTransposed(between, exit, b))
	}
}

// exactSolve solves (D − A)X = B by Gauss–Jordan elimination with rational numbers.
func exactSolve(between *mat.Dense, exit []float64, b *mat.Dense) [][]*big.Rat {
	return gaussJordan(exactMatrix(between, exit, false), b, false)
}

// exactSolveTransposed solves X(D − A) = B and returns the transpose.
func exactSolveTransposed(between *mat.Dense, exit []float64, b *mat.Dense) [][]*big.Rat {
	return gaussJordan(exactMatrix(between, exit, true), b, true)
}

func exactMatrix(between *mat.Dense, exit []float64, transpose bool) [][]*big.Rat {
	n := len(exit)
	m := make([][]*big.Rat, n)
	for i := range m {
		m[i] = make([]*big.Rat, n)
		for j := range m[i] {
			m[i][j] = new(big.Rat)
		}
	}
	for i := range n {
		leave := new(big.Rat).SetFloat64(exit[i])
		for j := range n {
			if i == j {
				continue
			}
			rate := new(big.Rat).SetFloat64(between.At(i, j))
			leave.Add(leave, rate)
			to := &m[i][j]
			if transpose {
				to = &m[j][i]
			}
			*to = rate.Neg(rate)
		}
		m[i][i] = leave
	}
	return m
}

func gaussJordan(m [][]*big.Rat, b *mat.Dense, transpose bool) [][]*big.Rat {
	n := len(m)
	x := make([][]*big.Rat, n)
	for i := range x {
		x[i] = make([]*big.Rat, n)
		for j := range x[i] {
			v := b.At(i, j)
			if transpose {
				v = b.At(j, i)
			}
			x[i][j] = new(big.Rat).SetFloat64(v)
		}
	}
	for p := range n {
		for i := range n {
			if i == p {
				continue
			}
			f := new(big.Rat).Quo(m[i][p], m[p][p])
			for j := range n {
				m[i][j] = new(big.Rat).Sub(m[i][j], new(big.Rat).Mul(f, m[p][j]))
				x[i][j] = new(big.Rat).Sub(x[i][j], new(big.Rat).Mul(f, x[p][j]))
			}
		}
	}
	for p := range n {
		for j := range n {
			x[p][j].Quo(x[p][j], m[p][p])
		}
	}
	return x
}
