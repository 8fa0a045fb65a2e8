package theory

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func grid(t *testing.T, f func(t *testing.T, k int, rho float64)) {
	for _, k := range []int{1, 2, 3, 8, 24} {
		for _, rho := range []float64{0.05, 0.5, 0.8, 0.97} {
			t.Run(fmt.Sprintf("k=%d/rho=%g", k, rho), func(t *testing.T) { f(t, k, rho) })
		}
	}
}

func h2State16(t *testing.T, k int, rho float64) (h2Queue, *h2State) {
	h := must(BalancedH2(1, 16))(t)
	q := h2Queue{k: k, rate: rho * float64(k), share: [2]float64{h.P1, 1 - h.P1},
		mu: [2]float64{1 / h.Mean1, 1 / h.Mean2}}
	return q, must(q.solve())(t)
}

// By Little's law the mean number of tasks in service is λE[S], on branch 1 λ times the branch's
// share of E[S].
func TestH2LittleInService(t *testing.T) {
	grid(t, func(t *testing.T, k int, rho float64) {
		q, s := h2State16(t, k, rho)
		running, branch1 := float64(k)*s.waitProb, 0.0
		for n, level := range s.below {
			running += float64(n) * mat.Sum(level)
			for i := range n + 1 {
				branch1 += float64(i) * level.At(0, i)
			}
		}
		for i := range k + 1 {
			branch1 += float64(i) * s.busy.At(0, i)
		}
		near(t, "in service", running, q.rate, 1e-13)
		near(t, "on branch 1", branch1, q.rate*q.share[0]/q.mu[0], 1e-13)
	})
}

// By PASTA, λ times the share of time with one free slot is the rate into level k and the density
// of the wait at 0.
func TestH2ArrivalsSeeTimeAverages(t *testing.T) {
	grid(t, func(t *testing.T, k int, rho float64) {
		q, s := h2State16(t, k, rho)
		near(t, "rate into level k", mat.Sum(s.arriving), q.rate*mat.Sum(s.below[k-1]), 1e-14)
		total := s.waitProb
		for _, level := range s.below {
			total += mat.Sum(level)
		}
		near(t, "all states", total, 1, 1e-14)
	})
}

// The density v·e^{Mt}·1 and the tail y·e^{Mt}·1 are computed from different states, but v = y(−M).
func TestH2DensityIsSlopeOfTail(t *testing.T) {
	grid(t, func(t *testing.T, k int, rho float64) {
		q, s := h2State16(t, k, rho)
		for j := range k + 1 {
			out := s.busy.At(0, j) * q.leaving(k, j)
			for i := range k + 1 {
				out -= s.busy.At(0, i) * q.rate * s.passage.At(i, j)
			}
			if math.Abs(out-s.arriving.At(0, j)) > 1e-13*s.busy.At(0, j)*q.leaving(k, j) {
				t.Errorf("phase %d: %g into it, %g out of it", j, s.arriving.At(0, j), out)
			}
		}
	})
}

// For one slot both tails are sums of two exponentials, whose rates are the roots of θ² −
// (μ₁+μ₂−λ)θ + μ₁μ₂(1−ρ).
func TestOneSlotClosedForm(t *testing.T) {
	for _, c2 := range []float64{1.5, 4, 16, 64} {
		for _, rho := range []float64{0.1, 0.5, 0.9} {
			h := must(BalancedH2(1, c2))(t)
			a := solve(t, 1, c2, rho)
			p, m1, m2 := h.P1, 1/h.Mean1, 1/h.Mean2
			sum, product := m1+m2-rho, m1*m2*(1-rho)
			fast := (sum + math.Sqrt(sum*sum-4*product)) / 2
			slow := product / fast
			for _, x := range []float64{0, 0.1, 1, 10, 100, 1000} {
				wait, response := 0.0, 0.0
				for _, r := range [][2]float64{{slow, fast}, {fast, slow}} {
					weight := (1 - rho) / (r[1] - r[0]) / r[0] * math.Exp(-r[0]*x)
					wait += weight * (m1 - r[0]) * (m2 - r[0])
					response += weight * (p*m1*(m2-r[0]) + (1-p)*m2*(m1-r[0]))
				}
				w, _ := a.WaitTail(x)
				near(t, fmt.Sprintf("C² %v ρ %v P(W > %v)", c2, rho, x), w, wait, 1e-12)
				r, _ := a.ResponseTail(x)
				near(t, fmt.Sprintf("C² %v ρ %v P(T > %v)", c2, rho, x), r, response, 1e-12)
			}
		}
	}
}

// The tail of the wait decays as e^{−θt} with E[e^{θS/k}] = 1 + θ/λ (Takahashi 1981).
func TestH2DecayRate(t *testing.T) {
	for _, k := range []int{1, 2, 4, 16} {
		for _, rho := range []float64{0.5, 0.8, 0.95} {
			h := must(BalancedH2(1, 16))(t)
			gap := func(x float64) float64 {
				return h.P1/(1-x*h.Mean1) + (1-h.P1)/(1-x*h.Mean2) - 1 - x/rho
			}
			theta := float64(k) * root(gap, 1e-3*(1-rho)/h.Mean1, (1-1e-9)/h.Mean1)
			at := 600 / math.Sqrt(float64(k))
			a := solve(t, k, 16, rho)
			p, _ := a.WaitTail(at)
			later, _ := a.WaitTail(at + 1)
			near(t, fmt.Sprintf("k %d ρ %v", k, rho), math.Log(p/later), theta, 1e-11)
		}
	}
}
