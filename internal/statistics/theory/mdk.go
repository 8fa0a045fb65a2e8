package theory

import (
	"fmt"
	"math"
)

// MDk returns the answer for the queue M/D/k: constant service times. It uses Fourier transforms of
// O(1/(1−ρ)) points, and takes 0.1 s at utilisation 0.9998. A higher utilisation is an error. P(W >
// t) has nine digits down to 1e−12 of P(W > 0), and is extrapolated geometrically below.
//
// Source: Crommelin (1932) for the Markov chain of states one service time apart; G. J. Franx, "A
// simple solution for the M/D/c waiting time distribution", Operations Research Letters 29 (2001),
// for the wait.
func MDk(p Pool) (*Answer, error) {
	if err := p.stable(); err != nil {
		return nil, err
	}
	q, err := solveCrommelin(p.Limit, p.Offered())
	if err != nil {
		return nil, err
	}
	wait := law{unit: p.MeanService, mean: q.meanWait + 1/float64(p.Limit), tail: q.waitTail}
	response := wait
	response.from = 1
	return p.answer(fmt.Sprintf("M/D/%d", p.Limit), q.waitProb, q.meanWait, &wait, &response), nil
}

type crommelin struct {
	k        int
	a        float64
	queued   []float64 // queued[n] = P(Nq > n), where Nq is the number of waiting tasks
	eta      float64   // ratio of successive P(Nq > n) for larger n
	waitProb float64
	meanWait float64
}

const maxPoints = 1 << 20

// All tasks in service now have ended one service time later, so Nq changes as Nq′ = (Nq + A − k)⁺
// with A ~ Poisson(a). This is Lindley's recursion. By Spitzer's identity
//
//	E[z^Nq] = exp Σ_{n≥1} b_n(zⁿ−1),  b_n = Σ_{l≥1} P(Poisson(la) = lk+n)/l,
//	P(W = 0) = exp(−Σ_{n≥0} b_n),  E[Nq] = Σ n·b_n
//
// Here b_n is the coefficient of zⁿ of −log(1 − z^{−k}e^{a(z−1)}) in the ring 1 < |z| < 1/η, where
// η is the root of ln η = −ρ(1/η−1) below 1. Fourier transforms on the circle |z| = 1/ρ inside that
// ring give both series. The circle passes through the saddle point of z^{−k}e^{a(z−1)}, so no
// digits cancel, even if waits are very rare. Crommelin's linear equations would take a thousand
// times as long near ρ = 1 and lose small probabilities.
func solveCrommelin(k int, a float64) (*crommelin, error) {
	rho := a / float64(k)
	// ζ = 1/η solves ln ζ = ρ(ζ−1). The search uses x = ζ−1, beyond the minimum of ρx − ln(1+x).
	gap := func(x float64) float64 { return rho*x - math.Log1p(x) }
	hi := 2 * (1/rho - 1)
	for gap(hi) < 0 {
		hi *= 2
	}
	logZeta := math.Log1p(root(gap, 1/rho-1, hi))
	logR := -math.Log(rho)

	// With enough points, aliasing (b_{n−N}r^{−N} and (rη)^{N/2}) is at most e^{−40} of the result,
	// below rounding.
	n := 64
	for float64(n)*logR < 40 || float64(n)*(logZeta-logR) < 80 {
		n *= 2
		if n > maxPoints {
			return nil, tooClose("M/D/k", rho)
		}
	}
	f := newFourier(n)
	x := make([]complex128, n)
	for j := range x {
		x[j] = negLogOneMinusExp(walkExponent(k, a, j, n))
	}
	f.transform(x)

	q := &crommelin{k: k, a: a, eta: math.Exp(-logZeta)}
	sum, mean := 0.0, 0.0
	for m := n/2 - 1; m >= 1; m-- {
		b := real(x[m]) / float64(n) * math.Exp(-float64(m)*logR)
		sum += b
		mean += float64(m) * b
	}
	q.meanWait = mean / a
	q.waitProb = -math.Expm1(-sum - real(x[0])/float64(n))

	// Compute E[z^Nq] − P(Nq = 0) on the circle, then its coefficients. The second transform runs
	// in the opposite direction, which gives the conjugate for real coefficients.
	x[0] = 0
	clear(x[n/2:])
	for m := 1; m < n/2; m++ {
		x[m] = complex(real(x[m])/float64(n), 0)
	}
	f.transform(x)
	none := math.Exp(-sum)
	for j := range x {
		x[j] = complex(none, 0) * expm1(real(x[j]), -imag(x[j]))
	}
	f.transform(x)

	last := min(n/2-1, int(math.Ceil(25/(logZeta-logR))))
	q.queued = make([]float64, last+1)
	above := real(x[last]) / float64(n) * math.Exp(-float64(last)*logR) * q.eta / (1 - q.eta)
	for m := last; m >= 0; m-- {
		q.queued[m] = above
		above += real(x[m]) / float64(n) * math.Exp(-float64(m)*logR)
	}
	return q, nil
}

// The exponent is u+iv, with z^{−k}e^{a(z−1)} = e^{u+iv} at the j-th of n points of the circle |z|
// = k/a.
func walkExponent(k int, a float64, j, n int) (u, v float64) {
	angle := 2 * math.Pi * float64(j) / float64(n)
	turn := 2 * math.Pi * float64(k%n*j%n) / float64(n)
	rho, idle := a/float64(k), (float64(k)-a)/float64(k)
	logRho := math.Log(rho)
	if rho > 0.5 {
		logRho = math.Log1p(-idle)
	}
	half := math.Sin(angle / 2)
	u = float64(k) * (logRho + idle - 2*half*half)
	v = float64(k)*math.Sin(angle) - turn
	return u, v
}

// The result has full relative precision for u < 0, even if e^u is tiny or close to 1.
func negLogOneMinusExp(u, v float64) complex128 {
	w := expm1(u, v)
	re, im := -real(w), -imag(w)
	modulus := math.Exp(u)
	log := math.Log(math.Hypot(re, im))
	if modulus < 0.5 {
		log = math.Log1p(modulus*(modulus-2*math.Cos(v))) / 2
	}
	return complex(-log, -math.Atan2(im, re))
}

func expm1(u, v float64) complex128 {
	half := math.Sin(v / 2)
	sin, cos := math.Sincos(v)
	return complex(math.Expm1(u)*cos-2*half*half, math.Exp(u)*sin)
}

// waitTail is Franx's formula. With m = ⌊t⌋+1, a task has started by t if fewer than mk tasks are
// ahead of it: the tasks queued m−t before, and the arrivals during m−t. All terms are positive.
func (q *crommelin) waitTail(t float64) float64 {
	m := math.Floor(t) + 1
	room := m*float64(q.k) - 1
	first, pmf := poisson(q.a * (m - t))
	sum := 0.0
	for i, w := range pmf {
		sum += w * q.queuedAbove(room-float64(first+i))
	}
	return sum
}

func (q *crommelin) queuedAbove(n float64) float64 {
	last := len(q.queued) - 1
	switch {
	case n < 0:
		return 1
	case n <= float64(last):
		return q.queued[int(n)]
	}
	return q.queued[last] * math.Pow(q.eta, n-float64(last))
}
