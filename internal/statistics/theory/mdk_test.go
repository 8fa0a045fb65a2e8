package theory

import (
	"math"
	"testing"
)

// Crommelin's equations: after one service time all tasks in service have ended and Poisson(a)
// tasks have arrived,
//
//	p_j = Σ_{i≤k} p_i·a_j + Σ_{k<i≤k+j} p_i·a_{j+k−i}.
//
// The state probabilities come from the distribution of the queue. By Little's law the mean number
// in service is a.
func TestCrommelinEquations(t *testing.T) {
	grid(t, func(t *testing.T, k int, rho float64) {
		a := rho * float64(k)
		q := must(solveCrommelin(k, a))(t)
		first, pmf := poisson(a)
		arrive := func(n int) float64 {
			if n < first || n >= first+len(pmf) {
				return 0
			}
			return pmf[n-first]
		}
		const states = 400
		p := make([]float64, states)
		for n := range p {
			queued := q.queuedAbove(float64(n-1)) - q.queuedAbove(float64(n))
			for j := n; j < states; j++ {
				p[j] += queued * arrive(j-n)
			}
		}
		atMost := 0.0
		for i := range k + 1 {
			atMost += p[i]
		}
		for j := range states - k {
			next := atMost * arrive(j)
			for i := k + 1; i <= k+j; i++ {
				next += p[i] * arrive(j+k-i)
			}
			if math.Abs(next-p[j]) > 1e-14 {
				t.Errorf("state %d: %g, one service time later %g", j, p[j], next)
			}
		}
		running, busy := 0.0, 0.0
		for n, x := range p {
			running += float64(min(n, k)) * x
			if n >= k {
				busy += x
			}
		}
		rest := q.queuedAbove(states - 1)
		near(t, "in service", running+float64(k)*rest, a, 1e-10)
		near(t, "busy", busy+rest, q.waitProb, 1e-8)
	})
}

// Spitzer's identity is summed term by term, with 1/(1−ρ)² terms.
func TestSpitzer(t *testing.T) {
	grid(t, func(t *testing.T, k int, rho float64) {
		if rho > 0.9 {
			t.Skip("too many terms")
		}
		a := rho * float64(k)
		reach, queue := 0.0, 0.0
		for l := 1; ; l++ {
			first, pmf := poisson(float64(l) * a)
			term := 0.0
			for i := max(0, l*k-first); i < len(pmf); i++ {
				reach += pmf[i] / float64(l)
				term += pmf[i] * float64(first+i-l*k) / float64(l)
			}
			queue += term
			if term <= 1e-16*queue {
				break
			}
		}
		q := must(solveCrommelin(k, a))(t)
		near(t, "P(W > 0)", q.waitProb, -math.Expm1(-reach), 1e-11)
		near(t, "mean wait", q.meanWait, queue/a, 1e-11)
	})
}
